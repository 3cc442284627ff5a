/**
 * Audit log: one line of JSON for each list and each stream, of gRPC and of the Kubernetes API.
 *
 * <p>{@link io.watchgate.audit.AuditLog} decides whether an event gets a line or is counted in a
 * summary ({@link io.watchgate.audit.AuditAggregator}), {@link io.watchgate.audit.AuditLineFormat}
 * writes the text, and {@link io.watchgate.audit.AuditLineWriter} appends it to a file or to the
 * logger.
 *
 * <p><b>Threads.</b> Events come from event loops and from the virtual threads of calls. They take
 * a short lock and put the line into a queue; only the thread of the writer touches the disk.
 *
 * <p><b>Bounds.</b> {@link io.watchgate.audit.AuditSettings}: lines of one caller per interval,
 * counters of summaries, callers whose lines are counted, the length of a text, and queued lines.
 * Lines above the last bound are dropped and counted.
 */
@NullMarked
package io.watchgate.audit;

import org.jspecify.annotations.NullMarked;
