/**
 * Simulation of a running cluster: deployments roll out and scale, pods are scheduled, start, crash
 * and end, and nodes renew their leases. It acts on the embedded apiserver as controllers,
 * schedulers and kubelets do: it reads the same changes and sends the same requests. If another
 * client deletes a pod or scales a deployment, the simulation reacts as a cluster would.
 *
 * <p><b>Idea.</b> A discrete simulation in virtual time. {@link
 * io.watchgate.sandbox.churn.SimulationQueue} orders the tasks by time. After each task the actors
 * are notified of the changes and schedule further tasks. All random numbers come from one
 * generator, so the same seed repeats the same requests, as long as no other client writes. {@link
 * io.watchgate.sandbox.churn.ChurnSettings} has the rates of all actors. The first 20 s are
 * simulated at once, so that the first client finds a running cluster.
 *
 * <p><b>Threads.</b> One thread, which {@link io.watchgate.sandbox.churn.ClusterSimulation} owns.
 * Only its {@code close} is thread-safe.
 *
 * <p><b>Bounds.</b> Some hundred bytes for each pod, and one or two queued tasks for each pod and
 * node. There are 1 to 5,000 nodes, with about six pods each.
 *
 * <p><b>Rejected.</b> A thread for each actor: every run would have another sequence of requests.
 * Playing back a recording: it could not react to other clients.
 */
@NullMarked
package io.watchgate.sandbox.churn;

import org.jspecify.annotations.NullMarked;
