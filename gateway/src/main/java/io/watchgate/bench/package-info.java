/**
 * {@code watchgate bench}: loads a gateway, measures it and proves that nothing was lost.
 *
 * <p><b>Idea.</b> {@link io.watchgate.bench.BenchPlan} says what is done, {@link
 * io.watchgate.bench.Bench} does it. A writer changes objects one after the other; each write has a
 * number and the moment for which it was meant, in an annotation ({@code WriteStamp}). A write that
 * is made late is measured from that moment all the same: the load does not wait for who is slow
 * (open loop). The number says which object was changed and for the how many-th time, so that a
 * {@code Ledger} for each reader finds whatever is missing, repeated or out of order, from the
 * snapshot to the last write.
 *
 * <p>The reader must cost less than what it measures: requests are encoded once, responses are read
 * into one buffer for each connection and walked over ({@code ResponseWalker}), the annotation is
 * found by looking where it was the last time. No message is built.
 *
 * <p><b>Threads.</b> The caller's makes the run. Eight write, each its own objects, whose changes
 * therefore have an order. As many event loops as there are processors read; a connection with its
 * streams, counters and histogram belongs to one of them, and what others read of it are counters.
 * Streams are opened only over connections that are there, since gRPC answers a call that waited on
 * another thread. Readers that leave their sockets unread have an event loop that is made to wait;
 * readers that reconnect have a thread each and an event loop, which run only while nobody else
 * wants a processor ({@code IdlePriority}): in service they are on machines of their own, and what
 * they cost there is nothing that others wait for.
 *
 * <p><b>Bounds.</b> A run lasts as long as its plan says, and two minutes for the opening and as
 * much for the last changes at most, of which ten seconds without any. Ledgers have four bytes for
 * each reader and object that it matches, histograms 19 KB a connection.
 *
 * <p><b>Rejected.</b> The client SDK as a reader: it parses, and it hides what is measured by
 * resuming. A closed loop: a gateway that stands still for a second would have one bad delivery
 * instead of a hundred.
 */
@NullMarked
package io.watchgate.bench;

import org.jspecify.annotations.NullMarked;
