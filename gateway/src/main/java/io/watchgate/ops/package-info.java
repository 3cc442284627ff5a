/**
 * What operators look at: metrics, liveness, readiness. The core declares what it counts ({@link
 * io.watchgate.cache.CacheMetrics}, {@link io.watchgate.fanout.FanoutMetrics}) and knows no metrics
 * library; this package implements that with Prometheus' own. What can be looked up when it is
 * asked for is not counted as it happens.
 *
 * <p>No metric has exemplars. The gateway makes no traces that they could point to, and the library
 * would ask and set a timer for them while events are delivered.
 *
 * <p>Labels are types, versions, reasons of a fixed few and numbers of owners: nothing that a
 * client chooses.
 */
@NullMarked
package io.watchgate.ops;

import org.jspecify.annotations.NullMarked;
