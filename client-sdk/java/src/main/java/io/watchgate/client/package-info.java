/**
 * Client of the gateway: a watch call that resumes by itself.
 *
 * <p>{@link io.watchgate.client.WatchClient} has one connection to each replica. {@link
 * io.watchgate.client.WatchCall} is one watch over as many gRPC streams as needed, by the rules at
 * the top of {@code watchgate/v1/watch.proto}. {@link io.watchgate.client.ReplicaSelector} selects
 * the replica of the next stream. {@link io.watchgate.client.UpdateAssembler} buffers events until
 * a token follows, so that the state of the listener and the token to resume from never differ.
 * {@link io.watchgate.client.WatchStream} is the blocking variant of a watch.
 *
 * <p><b>Threads.</b> Each call has one {@link io.watchgate.client.SerialExecutor} on the client's
 * daemon threads. gRPC's callbacks, timers, {@code close} and the listener all run on it. So the
 * call needs no locks, and a listener may block.
 *
 * <p><b>Bounds.</b> Responses are requested one by one, after the listener has processed the
 * previous one; small changes are requested up to eight at a time ({@code ResponseWindow}). A
 * listener that requests updates receives only as many updates of a response as it requested
 * ({@code DemandQueue}). The rest stays with the sender and in the transport's flow-control window.
 * Events that wait for a token are limited to {@link
 * io.watchgate.client.WatchClientBuilder#maxGroupBytes}. A snapshot is delivered in parts and
 * stored only by the listener.
 *
 * <p><b>Rejected:</b> {@code Flow.Publisher}, whose demand counts single items while a response is
 * the unit that can be refused; gRPC's own retries, which have no position; one channel for each
 * attempt, which costs every other watch on it a handshake; gRPC's own balancing, which detects
 * failed connections, but not a replica that lags or that asked its clients to move.
 */
@NullMarked
package io.watchgate.client;

import org.jspecify.annotations.NullMarked;
