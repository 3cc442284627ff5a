/**
 * What streams are sent, and when: the cost of a change follows the feeds that select it, never the
 * number of streams, and bytes are made once for all who want them.
 *
 * <p><b>The way of a change.</b> The writer publishes a revision and raises a flag. The {@code
 * Router} of the cache, on a pool, asks an index which feeds select the object before or after; has
 * the event encoded once for each projection among them ({@code ChangeEncoder}: a small head and
 * slices of the cache's own bytes); and appends to each feed's {@code FrameLog} a {@code Frame},
 * which is that event with the position and token that it leads to, a whole response. Then it
 * publishes how far it has come, raises one flag for each owner and feed ({@code LoopFollowers}),
 * and calls each owner once for all of them. An {@link io.watchgate.fanout.StreamLoop} gives those
 * of the group a turn whose transports are ready: each hands the frame's bytes to its {@link
 * io.watchgate.fanout.ResponseSink}, joined with those after it if it is behind.
 *
 * <p><b>A chain</b> is made of places ({@code FrameNode}) and steps between them, and is referred
 * to from its end only. A {@link io.watchgate.fanout.Subscription} that has sent everything stands
 * at the last place and keeps nothing alive, no frame and no revision; a frame lives while somebody
 * has yet to send it, and is then garbage. The collector alone would not find it: a place that it
 * has moved among the old, dead or not, keeps the whole chain behind it until those are looked
 * through, so that young collections copied each frame of a busy feed. Places are therefore
 * counted, once for all followers of an owner, and those that nobody can come to lead nowhere any
 * more. Each step knows the revision before it: so one who does not read for a second steps off the
 * chain and stands on that revision in the cache instead, and the frames behind it go.
 *
 * <p><b>The hand-over.</b> Whoever wants to follow, from a snapshot, a token or a revision that it
 * stands on, puts that into the router's mailbox ({@code CatchUpPhase}). The router empties it only
 * when it has routed all there is, so the base is never ahead of it; the answer is a place. Is the
 * base where the router is, that is the end of the feed's chain. Is it behind, a {@code Replay}
 * makes the frames in between, for all who asked within 20 ms in one pass over history through an
 * index of its own, and links its chain to the feed's. The feed has followers from the moment of
 * asking, so nothing falls between. Where history does not tell, because it was trimmed or listed
 * anew, the chain is cut there, and the stream sends the net effect, a snapshot or its end, as its
 * policy says.
 *
 * <p><b>Other replicas.</b> A token ahead of this one's state is followed at once where the digests
 * agree ({@code PrivateReplayPhase}), else waited for, and then looked up upstream; one that is
 * older waits for the past to be fetched ({@code StartPhase}). A stream that is to go on elsewhere
 * ({@code Departure}) does so between two groups, with its position.
 *
 * <p><b>Bookmarks.</b> How far the router has come is read first, then what the chain has is sent,
 * then the bookmark, with that position: never the cache's head, which may have changes that are
 * not routed yet. Timers hang on one {@code TimerWheel} per owner; those who are due in one tick
 * get the same bytes.
 *
 * <p><b>A projection</b> is what of an object is sent. A body is slices of the cache's own bytes: a
 * view leaves pieces out, a DELETED has another version put in, pointers choose parts that keep
 * their place. With PATCH a MODIFIED carries what {@code ChangePatch} finds between the two bodies,
 * where that is smaller than half; all else is the same as without. A patch is for whoever holds
 * the body before: never after one that was omitted, nor across a gap.
 *
 * <p><b>Snapshots and net effects</b> are groups of events that are encoded in chunks by whoever
 * gets there first ({@code SharedChunks}). A joiner takes part in a snapshot of its feed that is at
 * most two seconds old and not older than it was promised. What a selective feed begins with is
 * looked for in one pass for all who come meanwhile ({@code ScanBatcher}): five thousand node
 * agents cost one look at each pod. Snapshots begin in the order they were asked for, so many bytes
 * of them at a time ({@code SnapshotAdmission}).
 *
 * <p><b>Threads.</b> Routers share a pool of as many threads as there are cores, each running once
 * at a time; replays have one thread for all types; owners are the transport's event loops, and
 * everything of a stream is touched only on its owner's, which does a few of what streams have to
 * do by themselves, then has a walk, and so on: thousands who come back at once delay nobody's
 * change by more than those few. Locks are held for a step: for the table of feeds, and for
 * encoding one chunk. Nobody sends while holding one. Joining, leaving and lagging are messages;
 * the writer waits for none of them. An exception ends the one stream.
 *
 * <p><b>Bounds.</b> A response is at most 64 KiB, unless a single object is larger, and so is a
 * turn. Feeds are limited ({@code FeedRegistry}). What waits in the transport is estimated and
 * bounded ({@code OutboundBytes}): beyond it those who were not reading get less at a time, those
 * who read go on as before, and who has read nothing for ten seconds is ended, beyond twice as much
 * for two, unless its connection moves and it may have to wait for its turn on it ({@code
 * ActiveConnections}). Those who lag behind history stand on few states ({@code PinnedRevisions}),
 * and catch up to common checkpoints, so that they gather; beyond the number or the bytes the
 * oldest state goes, with a new snapshot for whoever stood there, or the end. A replay makes at
 * most 65,536 frames, then whoever needs more asks again. While the heap's budget is used up,
 * snapshots are refused, and revisions behind history are released ({@link
 * io.watchgate.cache.HeapBudget}). Each has a gauge in {@code ops}.
 *
 * <p><b>Rejected.</b> A queue of encoded events per stream, as java-control-plane and most watch
 * servers have: memory then follows the slowest reader. Letting each stream look at each change:
 * five thousand node agents looked at everything to find one change in five thousand. Keeping a
 * feed's frames for as long as history: a thousand selections that match everything were sixty
 * million frames in ten minutes, where now there are none. Counting the readers of each frame: two
 * contended counts a delivery, where an owner's followers together need as many a change. A thread
 * per stream: see {@code grpc}.
 */
@NullMarked
package io.watchgate.fanout;

import org.jspecify.annotations.NullMarked;
