/**
 * A cluster that lives: deployments roll and are scaled, pods are scheduled, start, crash and go,
 * nodes beat. It acts on the embedded apiserver as controllers, schedulers and kubelets do, by what
 * they see and by the same requests; somebody who deletes a pod or scales a deployment in between
 * is answered as a cluster would.
 *
 * <p><b>Idea.</b> A simulation in virtual time. {@link io.watchgate.sandbox.churn.SimulationQueue}
 * holds what is to be done and when; after each step the actors are shown what changed and put more
 * on it. What they draw at random comes from one generator, so that the same seed repeats the same
 * requests as long as nobody else writes. The past is lived through at once: the cluster that a
 * first visitor meets is already running.
 *
 * <p><b>Threads.</b> One, which {@link io.watchgate.sandbox.churn.ClusterSimulation} owns; nothing
 * here is thread-safe but its {@code close}.
 *
 * <p><b>Bounds.</b> Some hundred bytes for each pod, a task or two on the agenda for each pod and
 * node. Nodes are 1 to 5,000, with about six pods each.
 *
 * <p><b>Rejected.</b> A thread for each actor: the sequence would be another one each time. A
 * recording that is played back: it could not answer to what somebody does.
 */
@NullMarked
package io.watchgate.sandbox.churn;

import org.jspecify.annotations.NullMarked;
