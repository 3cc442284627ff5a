/**
 * The service of {@code watch.proto} over gRPC: checks requests, opens streams, answers unary
 * calls, and says no in the words of the contract.
 *
 * <p>A request is checked whole before anything is opened for it: its size, fields that this
 * version does not know ({@link io.watchgate.grpc.UnknownFields}), its values, its type, its
 * selectors, its token. What is wrong becomes a {@link io.watchgate.feed.Refusal}, and a refusal
 * becomes a status in one place, {@link io.watchgate.grpc.ErrorModel}.
 *
 * <p>Threads: each call begins on a virtual thread, which may block while the apiserver is asked
 * for a type. A stream is then handed to its owner (package {@code feed}) and keeps no thread;
 * gRPC's callbacks only wake it. Only the owner writes to the stream, and only while the transport
 * is ready, so that what gRPC queues for a client that does not read is bounded by one response
 * beyond its own threshold of 32 KiB.
 *
 * <p>Bounds: requests of 64 KiB (the transport takes 1 MiB, so that larger ones still get a
 * reason), pages of 5,000 objects and of the client's own limit of bytes, error details below the 8
 * KiB that trailers may have, resets of streams per connection.
 *
 * <p>Rejected: to let streams live on their calls' virtual threads, blocking when the transport is
 * not ready. It is shorter, but a thread and its stack per stream are 10 KB and more for 10,000
 * idle streams, and a change then wakes 10,000 threads instead of as many as there are cores.
 */
@NullMarked
package io.watchgate.grpc;

import org.jspecify.annotations.NullMarked;
