/**
 * {@code watchgate bench}: load generator that measures a gateway and proves that nothing was lost.
 *
 * <p><b>Idea.</b> {@link io.watchgate.bench.BenchPlan} has the parameters of a run, {@link
 * io.watchgate.bench.Bench} executes it. A writer changes objects one after the other. Each write
 * has a number and a scheduled time, in an annotation ({@code WriteStamp}). The latency of a late
 * write is also measured from its scheduled time: the load does not wait for slow participants
 * (open loop). The number determines the object, and how often the object was changed. So a {@code
 * DeliveryTracker} per reader finds every change that is missing, repeated or out of order, from
 * the snapshot to the last write.
 *
 * <p>A reader must cost less than the server that it measures. Requests are encoded once. Responses
 * are read into one buffer per connection and parsed there ({@code ResponseWalker}). The annotation
 * is first searched for at its last offset. No message is built.
 *
 * <p><b>Threads.</b> The caller's thread executes the run. Up to eight threads write, each to
 * objects of its own, so that the changes of an object are ordered. There is one reading event loop
 * per processor. A connection with its streams, counters and histogram is confined to one event
 * loop; other threads only read its counters. Streams are opened only over established connections,
 * because gRPC uses another thread for the responses of a call that had to wait. Readers that leave
 * their sockets unread have an event loop of their own, which is blocked. Readers that reconnect
 * have a thread each and a common event loop, all with idle priority ({@code IdlePriority}): in
 * production they run on machines of their own, where their CPU cost delays no other reader.
 *
 * <p><b>Bounds.</b> A run takes the planned time, plus at most two minutes for the opening and two
 * minutes for the last changes. The latter end after ten seconds without a delivery. A tracker has
 * four bytes per matching object of its reader, a histogram 19 KB per connection.
 *
 * <p><b>Rejected.</b> The client SDK as a reader: it parses messages, and it hides errors by
 * resuming. A closed loop: if a gateway stopped for a second, it would have one late delivery
 * instead of a hundred.
 */
@NullMarked
package io.watchgate.bench;

import org.jspecify.annotations.NullMarked;
