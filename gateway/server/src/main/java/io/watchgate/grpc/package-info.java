/**
 * The service of {@code watch.proto} over gRPC: checks requests, opens streams, answers unary
 * calls, and reports errors as defined by the contract.
 *
 * <p>A request is checked completely before anything is opened for it: its size ({@link
 * io.watchgate.grpc.RequestMarshaller}), fields that this version does not know ({@link
 * io.watchgate.grpc.UnknownFieldCheck}), its values, its type, its selectors, its token. Each error
 * is an {@link io.watchgate.error.ApiError}, and only {@link io.watchgate.grpc.GrpcErrors} converts
 * it to a status.
 *
 * <p><b>Threads.</b> gRPC calls on its event loops ({@link io.watchgate.grpc.EventLoops}), and
 * nothing may block there. A request is checked on a virtual thread of its own, which may wait
 * while it asks the apiserver for a type. A unary call is answered on that thread. A stream is then
 * passed to its event loop (package {@code fanout}), which is the event loop of its connection. So
 * gRPC's callbacks, wake-ups and writes of a stream all run on one thread until the stream ends.
 * Only this thread writes, and only while the transport is ready. So gRPC queues at most one
 * response above its own threshold for a client that does not read. The responses that an event
 * loop sends in one task leave together: those of the lane (package {@code lane}) with one write
 * for each connection; gRPC flushes after 128 responses of a connection.
 *
 * <p><b>Bytes.</b> ListAndWatch has custom marshallers ({@link io.watchgate.grpc.WatchMethods}).
 * Its responses are already encoded, as slices of the cache's own arrays, and are copied once, into
 * the buffer of the lane or of gRPC.
 *
 * <p><b>Bounds.</b> Requests of 64 KiB (the transport accepts 1.25 MiB, so that larger ones still
 * get a reason). 16 MiB per event loop for requests that have begun and are not complete ({@link
 * io.watchgate.grpc.InboundBytesLimit}: above it a connection loses its incomplete requests, so
 * that half a request does not keep memory for long). Pages of 5,000 objects and of the client's
 * own limit of bytes. Error details below the 8 KiB that trailers may have. Metadata of a call
 * ({@link io.watchgate.grpc.CallMetadata}). Headers that are not complete ({@link
 * io.watchgate.grpc.IncompleteHeaders}). Resets of streams without a response per connection
 * ({@link io.watchgate.grpc.RapidResetLimit}). Streams in total and per client ({@link
 * io.watchgate.admission.GatewayStreamLimiter}). HTTP/2's own limit of streams is off, because
 * above it clients wait without an error.
 *
 * <p><b>Rejected.</b> Streams on their calls' virtual threads, which block when the transport is
 * not ready. The code would be shorter, but a thread with its stack costs at least 10 KB for each
 * of 10,000 idle streams, and a change then wakes 10,000 threads instead of one per core. Stream
 * loops on threads apart from the event loops: every response is then handed over between threads,
 * which costs twice the CPU.
 */
@NullMarked
package io.watchgate.grpc;

import org.jspecify.annotations.NullMarked;
