/**
 * Baseline servers for comparison with a gateway. They implement the part of the same contract that
 * {@code watchgate bench} needs: {@code watchgate baseline bare}, {@code naive} and {@code floor},
 * which the help does not list.
 *
 * <p><b>bare</b> has the lowest cost that is possible with grpc-java. It splits the watch of one
 * namespace into lines and makes one response of each line without parsing it. It sends the same
 * bytes to all streams, on the event loop of their connection, through a marshaller that copies
 * once, into the transport's buffer. Its transport is the gateway's own, passed in by {@code cli}:
 * loops, buffers and thresholds are not defined again. For a snapshot it lists the namespace,
 * encodes the list once, and shares the result with all streams that join within two seconds. It
 * has no cache, no history, and no selector except that of a node. A stream that is not ready has a
 * queue of references; if {@code --batch} is above 1, queued events are joined.
 *
 * <p><b>floor</b> sends the bytes of bare as hand-made frames of HTTP/2, without gRPC. It counts
 * both windows, reads no header, and copies all responses of a connection into one buffer, which is
 * written by a task after each delivery. It is no server for others than {@code bench}.
 *
 * <p><b>naive</b> is the usual implementation with the generated stub: a list of observers. For
 * each event and each observer it builds a new message and sends it, whether or not the observer is
 * ready.
 *
 * <p><b>Threads.</b> One thread reads each watch. In bare, all state of a stream is confined to the
 * event loop of its connection ({@code LoopFanout}). A loop is woken once for all events since its
 * last run.
 *
 * <p><b>Bounds.</b> The bounds that a production service needs are missing: bare closes a stream
 * that lags by 65,536 events, naive closes none.
 */
@NullMarked
package io.watchgate.bench.baseline;

import org.jspecify.annotations.NullMarked;
