/**
 * A run of {@code watchgate check}: makes the records that {@link io.watchgate.check.Validator}
 * judges.
 *
 * <p><b>Idea.</b> {@code WriteWorkload} writes at the apiserver in the shape of a cluster's life,
 * from a seed. {@code TruthWatch} records what the apiserver says of each type. {@code
 * CheckSubscriber}s, each with a wish of its own (selection, shape, policy), open streams through
 * the gateway, leave them anywhere and come back from the last token, an earlier one, a version, or
 * none, as {@code Conductor} decides; {@code StreamRecorder} records one stream. When the writes
 * have rested and everybody has come to the last of them, all is judged.
 *
 * <p><b>Threads.</b> The caller's conducts. Writes have four virtual threads, each truth one;
 * streams are heard on gRPC's. A {@code StreamRecorder} and a {@code TruthWatch} are locked for a
 * step.
 *
 * <p><b>Bounds.</b> Everything that is heard in a run is kept until it is judged, bodies as
 * digests; whoever takes patches holds the objects that it selects. Longer checks are made of
 * several runs.
 */
@NullMarked
package io.watchgate.check.run;

import org.jspecify.annotations.NullMarked;
