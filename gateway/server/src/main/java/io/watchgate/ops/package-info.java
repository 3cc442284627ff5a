/**
 * Operations interface: metrics, liveness, readiness. The core declares its counters ({@link
 * io.watchgate.cache.CacheMetrics}, {@link io.watchgate.fanout.FanoutMetrics}) and uses no metrics
 * library; this package implements them with the Prometheus library. Classes named {@code Counters}
 * are updated as events happen. Values that can be read on a scrape have no counter: classes named
 * {@code Gauges} register a callback for them.
 *
 * <p>No metric has exemplars. The gateway makes no traces that exemplars could refer to, and the
 * library would sample and set a timer for them while events are delivered.
 *
 * <p>Labels are types, versions, reasons from a fixed set and numbers of event loops: never values
 * that a client chooses.
 */
@NullMarked
package io.watchgate.ops;

import org.jspecify.annotations.NullMarked;
