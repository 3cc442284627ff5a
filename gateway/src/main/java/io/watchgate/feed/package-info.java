/**
 * What one stream sends, and when. A {@link io.watchgate.feed.Subscription} is a position in a
 * cache's chain of revisions, and a {@code Phase} that says what it is at: waiting for a start,
 * sending a snapshot, following changes, or sending a net effect after a gap. A phase does a
 * bounded step when the transport is ready ({@link io.watchgate.feed.Outlet}) and is not asked
 * otherwise. So a stream has no thread and no queue: one that does not read stays where it is.
 *
 * <p>{@link io.watchgate.feed.Position} is what has been sent entirely: version and digest. {@link
 * io.watchgate.feed.Tokens} makes it a token and checks one that comes back; {@code AwaitingStart}
 * finds it in the history, notices by the digest that the cluster was restored, and falls back to a
 * snapshot, or refuses where the client asked for that. Bookmarks are sent between two steps, when
 * everything up to the stream's position is in the transport's hands.
 *
 * <p><b>Threads.</b> There are as many {@link io.watchgate.feed.Owner}s as there are cores; a
 * stream belongs to one for life, and everything of it is touched only there. A cache that has news
 * raises one flag per owner; the owner gives each of its streams a turn of at most 64 KiB,
 * beginning with another one each time, and a turn that finds nothing to send ends after some
 * thousand objects. An exception ends the one stream.
 *
 * <p><b>Bounds.</b> A response is at most 64 KiB, unless a single object is larger. The state that
 * a stream stands on keeps superseded bytes alive; beyond history's bytes and those for laggards it
 * has to let go and gets a new snapshot. How far the last one is behind has a gauge.
 *
 * <p><b>Rejected.</b> A queue of encoded events per stream, as java-control-plane and most watch
 * servers have: memory then follows the slowest reader. One thread per stream: see {@code grpc}.
 * Still every stream looks at every change; feeds that share this work are the next step, and what
 * they need (positions, phases, selections with one canonical text) is here.
 */
@NullMarked
package io.watchgate.feed;

import org.jspecify.annotations.NullMarked;
