/**
 * A client of the gateway: one call that resumes by itself.
 *
 * <p>{@link io.watchgate.client.WatchClient} holds one connection to each replica; {@link
 * io.watchgate.client.WatchCall} is one watch over as many streams as it takes, by the rules at the
 * top of {@code watchgate/v1/watch.proto}. {@link io.watchgate.client.ReplicaSelector} says where
 * the next one goes. {@link io.watchgate.client.UpdateAssembler} holds events back until a token
 * follows, so that what the listener has applied and the token to resume from never differ. {@link
 * io.watchgate.client.WatchStream} is the same for a program that reads.
 *
 * <p><b>Threads.</b> Each call has one owner, a {@link io.watchgate.client.SerialExecutor} on the
 * client's daemon threads: gRPC's callbacks, timers and {@code close} all go through it, and the
 * listener runs on it. Hence no locks, and a listener may block.
 *
 * <p><b>Bounds.</b> Responses are asked for one by one, after the listener has taken the one
 * before, only of small changes up to eight at a time ({@code ResponseWindow}); a listener that
 * says what it wants to hear is told no more of a response than that ({@code DemandQueue}). The
 * rest stays with the sender (and in the transport's flow-control window). What is held back for a
 * token is at most {@link io.watchgate.client.WatchClientBuilder#maxGroupBytes}; a snapshot is
 * passed on in pieces and held by whoever wants it.
 *
 * <p><b>Rejected:</b> {@code Flow.Publisher}, whose demand counts single items while a response is
 * what can be refused; gRPC's own retries, which know no position; one channel for each attempt,
 * which costs every other watch on it a handshake; gRPC's own balancing, which knows connections
 * that fail, but not a replica that is behind, or that asked to be left.
 */
@NullMarked
package io.watchgate.client;

import org.jspecify.annotations.NullMarked;
