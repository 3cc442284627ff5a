/**
 * Servers to measure a gateway against, of the same contract as far as {@code watchgate bench}
 * needs it: {@code watchgate yardstick limit} and {@code naive}, which help does not show.
 *
 * <p><b>limit</b> is what grpc-java can do at best: it splits the watch of one namespace into
 * lines, makes one response of each without parsing it, and hands the same bytes to all streams, on
 * the event loop of their connection, through a marshaller that copies once, into the transport's
 * buffer. Its transport is the gateway's own, which {@code cli} hands to it: loops, buffers and
 * thresholds are not restated. For a snapshot it lists the namespace, encodes that once, and hands
 * it to all who come within two seconds. It has no cache, no history, no selectors but that of a
 * node. Whoever is not ready has a queue of references; with {@code --batch} more than 1 what has
 * gathered is joined.
 *
 * <p><b>naive</b> is what people write with the generated stub: a list of observers, and for each
 * event and each of them a message that is built anew, and sent whether or not the observer takes
 * more.
 *
 * <p><b>Threads.</b> One reads a watch. Of limit, everything of a stream is touched on the event
 * loop of its connection alone ({@code LoopFanout}), and a loop is woken once for all that came
 * since.
 *
 * <p><b>Bounds.</b> None that a service would need: limit ends a stream that is 65,536 events
 * behind, naive none.
 */
@NullMarked
package io.watchgate.bench.baseline;

import org.jspecify.annotations.NullMarked;
