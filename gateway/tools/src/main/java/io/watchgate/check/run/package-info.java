/**
 * Execution of {@code watchgate check}: makes the records that {@link io.watchgate.check.Validator}
 * judges.
 *
 * <p><b>Idea.</b> {@code WriteWorkload} writes to the apiserver, from a seed, with a workload that
 * resembles a cluster. {@code TruthWatch} records what the apiserver reports for each type. Each
 * {@code CheckSubscriber} has its own {@code SubscriptionSpec} (selection, projection, policy). It
 * opens streams through the gateway, leaves them at any point, and returns with the last token, an
 * earlier token, a version, or none, as {@code ScenarioDriver} decides. {@code StreamRecorder}
 * records one stream. After the writes have ended and all subscribers have reached the last write,
 * all records are judged.
 *
 * <p><b>Threads.</b> The caller's thread drives the subscribers. Writes have four virtual threads,
 * each {@code TruthWatch} has one; streams receive messages on gRPC's threads. {@code
 * StreamRecorder} and {@code TruthWatch} are locked for each operation.
 *
 * <p><b>Bounds.</b> All messages of a run are kept until they are judged, bodies as digests. A
 * subscriber to patches also keeps the objects that it selects. Longer checks consist of several
 * runs.
 */
@NullMarked
package io.watchgate.check.run;

import org.jspecify.annotations.NullMarked;
