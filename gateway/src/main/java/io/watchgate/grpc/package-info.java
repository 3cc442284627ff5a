/**
 * The service of {@code watch.proto} over gRPC: checks requests, opens streams, answers unary
 * calls, and says no in the words of the contract.
 *
 * <p>A request is checked whole before anything is opened for it: its size ({@link
 * io.watchgate.grpc.RequestMarshaller}), fields that this version does not know ({@link
 * io.watchgate.grpc.UnknownFieldCheck}), its values, its type, its selectors, its token. What is
 * wrong becomes a {@link io.watchgate.fanout.ApiError}, and a refusal becomes a status in one
 * place, {@link io.watchgate.grpc.GrpcErrors}.
 *
 * <p><b>Threads.</b> gRPC calls on its event loops ({@link io.watchgate.grpc.EventLoops}), and
 * nothing may block there. A request is checked on a virtual thread of its own, which may wait
 * while the apiserver is asked for a type, and a unary call is answered on it. A stream is then
 * handed to its owner (package {@code feed}), which is the loop that its connection lives on: what
 * gRPC tells of a stream, what wakes it and what writes to it is one thread, for life. Only the
 * owner writes, and only while the transport is ready, so that what gRPC queues for a client that
 * does not read is bounded by one response beyond its own threshold. All that an owner sends in one
 * task leaves with one flush per connection (and 128 responses): gRPC queues writes until the task
 * is over.
 *
 * <p><b>Bytes.</b> ListAndWatch has marshallers of ours ({@link io.watchgate.grpc.WatchMethods}):
 * its responses come encoded, as pieces of the cache's own arrays, and are copied once, into the
 * transport's buffer.
 *
 * <p><b>Bounds.</b> Requests of 64 KiB (the transport takes 1.25 MiB, so that larger ones still get
 * a reason), 16 MiB on each event loop of requests that have begun and are not complete ({@link
 * io.watchgate.grpc.InboundBytesLimit}: beyond it a connection loses those it has, so that half a
 * request holds nothing for long), pages of 5,000 objects and of the client's own limit of bytes,
 * error details below the 8 KiB that trailers may have, metadata of a call ({@link
 * io.watchgate.grpc.CallMetadata}), headers that are not complete ({@link
 * io.watchgate.grpc.IncompleteHeaders}), resets of streams without a response per connection
 * ({@link io.watchgate.grpc.RapidResetLimit}), streams of all and of one client ({@link
 * io.watchgate.grpc.StreamLimiter}). HTTP/2's own limit of streams is off: above it clients wait in
 * silence.
 *
 * <p><b>Rejected.</b> To let streams live on their calls' virtual threads, blocking when the
 * transport is not ready. It is shorter, but a thread and its stack per stream are 10 KB and more
 * for 10,000 idle streams, and a change then wakes 10,000 threads instead of as many as there are
 * cores. Owners on threads beside the loops: every response is then handed over, which costs twice
 * the CPU.
 */
@NullMarked
package io.watchgate.grpc;

import org.jspecify.annotations.NullMarked;
