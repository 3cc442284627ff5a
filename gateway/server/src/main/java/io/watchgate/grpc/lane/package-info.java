/**
 * The lane: a direct way for the DATA frames of established streams, beside that of gRPC.
 *
 * <p>gRPC keeps connections, calls, headers, trailers, cancellation, deadlines, pings and GOAWAY. A
 * response that takes the lane is copied once, with its frame header, into a buffer of its
 * connection. The buffer collects the responses of all streams in one task of the event loop, and
 * is written where gRPC's HTTP/2 handler would write, so that TLS and everything else below apply.
 * gRPC creates several objects and buffers for each response, which live until the flush; the lane
 * creates none (see docs/explanation/performance.md).
 *
 * <p><b>Installation.</b> {@link io.watchgate.grpc.lane.ConnectionLane#attach} is called with the
 * first SETTINGS frame, and decorates the frame listener of gRPC's decoder. With the direct
 * executor gRPC starts a call on the stack of its HEADERS frame. So the id of a stream is not
 * inferred: {@link io.watchgate.grpc.lane.ConnectionLane#openStream} returns a lane only while the
 * HEADERS of that stream are being read. All of it is public API of grpc-java and Netty.
 *
 * <p><b>Windows.</b> They remain in Netty's flow controller, whose increments may be negative:
 * Netty charges sent bytes that way itself. A {@link io.watchgate.grpc.lane.StreamLane} takes
 * credit out of its stream's window and gives the rest back before the stream sends by gRPC. So the
 * window that gRPC sees plus the credit is the window of the client, and neither way can exceed it.
 * SETTINGS may lower the windows of all streams; each stream gives back its credit before it uses
 * any. The window of the connection is charged before its buffer is written, since a write can make
 * gRPC write too.
 *
 * <p><b>Order.</b> A stream uses the lane only if gRPC has nothing of it: response headers were
 * written, the task of gRPC's write queue has run since the last response by gRPC, and the flow
 * controller holds no bytes. The buffer is written before the task that filled it ends ({@link
 * io.watchgate.grpc.lane.LaneFlusher}). gRPC writes in tasks of its own, so trailers and RST_STREAM
 * never overtake a response. A stream that Netty has closed sends nothing.
 *
 * <p><b>Everything else takes gRPC's way</b>: headers and trailers, a response that is larger than
 * the windows or than 128 KiB, every response while gRPC still has an earlier one, and all streams
 * of a connection on which the lane cannot be installed. None of these is an error. A response that
 * does not fit into a window is queued by gRPC, as without the lane; then the stream waits until
 * gRPC has sent it.
 *
 * <p><b>Waiting.</b> A stream waits only if it wants to send ({@link
 * io.watchgate.grpc.lane.StreamLane#isReady}). If its own window is used up, its WINDOW_UPDATE
 * wakes it. Streams that wait for the connection, its window or its socket, are woken in order, and
 * as many as there is room for, so that a WINDOW_UPDATE costs what it lets through. A stream that
 * was woken three times and found no room uses gRPC, whose distributor is fair to all streams that
 * it has bytes of. The lane writes to a socket only when the socket has taken all that it wrote
 * before. So nothing of a waiting stream is queued, and its charge is its last response.
 *
 * <p><b>Groups.</b> Streams of one connection that are sent the same responses are members of a
 * {@link io.watchgate.grpc.lane.LaneGroup}: their ids are in an array, and they use up their credit
 * together. The frames of a response are written once, and repeated with the other ids. A response
 * is sent to all members or to none. If it is more than 1 MiB for all, or the window of the
 * connection or of one member is too small, the members send for themselves; if the socket is not
 * ready, the group waits as one. When a member leaves, what the group has used is deducted from its
 * credit; a member whose stream has ended is skipped from then on.
 *
 * <p><b>Pings.</b> gRPC permits a ping after DATA, and does not see the DATA of the lane. Clients
 * that ping to measure the bandwidth would be ended with too_many_pings. {@link
 * io.watchgate.grpc.lane.PingFilter} decides which pings gRPC sees.
 *
 * <p><b>Threads.</b> All of it is confined to the event loop, with two exceptions. Any thread may
 * read the counters, and any thread may end the lane of a stream ({@link
 * io.watchgate.grpc.lane.StreamLane#end}), which posts a task to the event loop. Until that task
 * has run, no group of the connection sends.
 *
 * <p><b>Bounds.</b> The buffers of an event loop are written when they have 1 MiB. So they have
 * less than that and one more response, of 128 KiB for a stream or 1 MiB for a group: at most 2 MiB
 * and the headers of its frames. A socket that is not read keeps at most what one such write has
 * for it. Outbound bytes ({@code --outbound-mib}) do not count these buffers; they count the last
 * response of each stream that waits.
 *
 * <p><b>Rejected.</b> A flow controller of our own, with ordinary calls: the rest of gRPC's path
 * costs the same. Netty's encoder without gRPC's calls: still two buffers, a promise and the state
 * of the flow controller for each response. Header and payload as separate buffers, gathered by the
 * socket: no gain, since the kernel then handles many small pieces. The same lane for watches over
 * the Kubernetes API: another server has these connections, and keeps their windows to itself; what
 * it writes is collected by {@code WatchFrameBatch} of package {@code http}.
 */
@NullMarked
package io.watchgate.grpc.lane;

import org.jspecify.annotations.NullMarked;
