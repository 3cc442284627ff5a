/**
 * Differential tests: the same selections are watched directly at the apiserver and through the
 * gateway, during seeded random writes, while connections and histories break.
 *
 * <p>{@link io.watchgate.e2e.differential.DifferentialRun} has two parts, which {@link
 * io.watchgate.e2e.differential.DifferentialTest} repeats. In the steady part, streams are stopped
 * and resumed and the gateway's connections are cut; both sides must have the same sequence of
 * events. In a gap, the gateway is disconnected while the apiserver drops history; the gap must be
 * announced, and the net effect must lead to the same state.
 *
 * <p>{@link io.watchgate.e2e.differential.RandomWriter} writes. For each {@link
 * io.watchgate.e2e.differential.Query}, a {@link io.watchgate.e2e.differential.DirectLog} records
 * the apiserver's events and a {@link io.watchgate.e2e.differential.Subscriber} the gateway's. A
 * {@link io.watchgate.e2e.differential.Comparison} consumes both and fails at the first difference,
 * with the events before and after it. {@link io.watchgate.e2e.differential.Tally} counts the
 * covered cases, because a run without the hard cases proves nothing.
 *
 * <p>Comparisons are made while no writes are in progress and the position of every stream is after
 * the last write. The subscriber implements the algorithm at the top of {@code watch.proto}
 * separately, because the SDK would hide the errors that it repairs.
 */
@NullMarked
package io.watchgate.e2e.differential;

import org.jspecify.annotations.NullMarked;
