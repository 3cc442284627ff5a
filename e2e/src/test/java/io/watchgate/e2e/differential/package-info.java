/**
 * The same selections watched twice, straight at the apiserver and through the gateway, while
 * seeded random writes go on, and connections and histories break.
 *
 * <p>{@link io.watchgate.e2e.differential.DifferentialRun} has two parts, which {@link
 * io.watchgate.e2e.differential.DifferentialTest} repeats as often as it likes. In the steady part
 * streams are stopped and resumed and the gateway's connections are cut, while the same sequence of
 * events is required on both sides. In a gap the gateway is away while the apiserver forgets: then
 * the gap has to be announced and the net effect has to lead to the same state.
 *
 * <p>{@link io.watchgate.e2e.differential.Churn} writes. For each {@link
 * io.watchgate.e2e.differential.Query} a {@link io.watchgate.e2e.differential.DirectLog} records
 * what the apiserver says and a {@link io.watchgate.e2e.differential.Subscriber} what the gateway
 * says; a {@link io.watchgate.e2e.differential.Comparison} consumes both and fails at the first
 * difference, with what came before and after it. {@link io.watchgate.e2e.differential.Tally}
 * counts what was seen, since a run without the hard cases proves nothing.
 *
 * <p>Comparisons take place when the writes rest, and the position of every stream is behind the
 * last of them. The subscriber follows the algorithm at the top of {@code watch.proto} in its own
 * code: the SDK's would hide what it repairs.
 */
@NullMarked
package io.watchgate.e2e.differential;

import org.jspecify.annotations.NullMarked;
