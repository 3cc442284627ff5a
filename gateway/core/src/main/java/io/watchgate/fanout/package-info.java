/**
 * Fan-out of changes to streams. The cost of a change depends on the number of feeds that select it
 * and not on the number of streams: bytes are encoded once for all streams that need them.
 *
 * <p><b>The path of a change.</b> The writer publishes a revision and raises a flag. The {@code
 * ChangeRouter} of the cache runs on a pool. It asks an index which feeds select the object before
 * or after the change. {@link io.watchgate.encode.EventEncoder} encodes the event once for each
 * projection among these feeds: a small head, and slices of the cache's bytes. The router appends a
 * frame to the {@code FrameLog} of each feed: the event with the position and token that it leads
 * to, which is a complete response. Then the router publishes its progress, raises one flag for
 * each event loop and feed ({@code LoopFollowers}), and notifies each event loop once for all of
 * them. The event loop runs the followers whose transports are ready. Each passes the bytes of the
 * frame to its {@link io.watchgate.fanout.ResponseSink}. A stream that lags sends several frames as
 * one response.
 *
 * <p><b>Groups.</b> Followers of one connection that keep up and are at the same position form a
 * {@code FollowerGroup}, if their transport can send to several streams at once ({@link
 * io.watchgate.fanout.SinkGroup}). A thousand streams have more state than a processor's cache
 * holds; the state of a group is one node, one position and one count of bytes. So a delivery costs
 * the bytes that it copies, and no access to an object of a stream. A stream leaves its group
 * before any operation on this stream alone, and joins a group again within a second.
 *
 * <p><b>Frame logs.</b> A log consists of nodes ({@code FrameNode}) and the entries between them
 * ({@code LogEntry}): frames, gaps and splices. The log references its last node only. A {@link
 * io.watchgate.fanout.Subscription} that has sent everything is at the last node and keeps no frame
 * and no revision alive. A frame stays alive while a stream has yet to send it, and is then
 * garbage. Each frame references the revision before it. So a stream that does not read for a
 * second leaves the log and pins that revision in the cache instead, and the frames after it are
 * released.
 *
 * <p><b>Reference counting.</b> Garbage collection alone is not enough. A node that was promoted to
 * the old generation keeps all later frames reachable until the next old-generation collection, so
 * every young collection copied them. Nodes are therefore reference counted and unlinked as soon as
 * no stream can reach them. These references are counted:
 *
 * <ul>
 *   <li>{@code FrameLog}: one, to its last node.
 *   <li>{@code LogEntry}: a frame or a gap holds one, to the node after it.
 *   <li>{@code FrameFloor}: one, to the earliest node that the followers of an event loop may still
 *       read. All followers without a reference of their own share it.
 *   <li>{@code JoinPoint}: one for a single stream, to a node of the feed's log. A stream has a
 *       join point from joining until it first reaches the end of the log, and while it lags.
 * </ul>
 *
 * <p>A stream that is caught up has no reference of its own; the shared one, at the floor, protects
 * what it reads. When each of these followers has reached the end of the log at least once since
 * the last move, the floor moves to the earliest of the nodes that they reached. The counts are
 * atomic; all threads may release.
 *
 * <pre>
 *                        FrameFloor     lagging stream     caught-up streams
 *                             │           JoinPoint          (not counted)
 *                             │               │                    │
 *                             ↓               ↓                    ↓
 * feed's log      n0          n1 ──── f2 ───→ n2 ──── f3 ────────→ n3 ←── tail of FrameLog
 *             (unlinked)      ↑
 *                             │ splice (not counted; the joining stream's JoinPoint is)
 * replay's log    r0 ─ f1 ──→ r1      joining stream: JoinPoint(node = r0, retainedNode = n1)
 *
 * counts: n0 0, n1 2 (floor, join point), n2 2 (f2, lagging stream), n3 2 (f3, tail)
 * </pre>
 *
 * <p>A node is unlinked when its count becomes 0: it drops its entry, whose reference to the next
 * node is released in turn. Here n1 is unlinked when the floor has moved to n3 and the joining
 * stream has reached the end of the log. Then f2 is garbage, and n2 has only the reference of the
 * lagging stream. When that stream reaches the end or leaves the log, n2 is unlinked too. A node
 * never loses its last reference while the entry before it can be reached. Nodes of a replay's log
 * are never unlinked: the log is short-lived, and only the streams that read it reference it.
 *
 * <p><b>Joining a feed.</b> A stream joins from a snapshot, a token or a pinned revision, its base.
 * It sends a message to the router ({@code CatchUpPhase}). The router handles it only after it has
 * routed the base, so the base is never ahead of the router. The answer is a {@code JoinPoint}. If
 * the base equals the router's position, the stream joins at the end of the log. If it is behind, a
 * {@code Replay} builds the missing frames and links them to the feed's log by a splice. One pass
 * over history, with an index of its own, serves all streams that ask within 20 ms. The stream
 * counts as a follower from the moment of asking, so it misses no change. If history does not have
 * the changes, because it was trimmed or the apiserver was listed again, the log has a gap. The
 * stream then sends the net effect, a snapshot or its end, as {@code LaggardPolicy} decides.
 *
 * <p><b>Other replicas.</b> A token may be ahead of this replica's state. If the digests agree, the
 * stream follows at once ({@code PrivateReplayPhase}). Otherwise it waits for the version, and then
 * looks it up upstream. A token older than history waits until older changes are fetched ({@code
 * StartPhase}). A stream that is asked to reconnect elsewhere ({@code GoingAwayNotice}) ends at a
 * position: not within a snapshot or net effect.
 *
 * <p><b>Bookmarks.</b> A stream first reads the router's progress, then sends the frames of the
 * log, and then the bookmark with that position. It never uses the head of the cache, which may
 * have changes that are not routed yet. Each event loop has one {@code TimerWheel}; streams that
 * are due in the same tick get the same bytes.
 *
 * <p><b>Snapshots and net effects</b> are sequences of events, encoded in chunks by the first
 * stream that needs a chunk ({@code SharedChunks}). A stream joins a snapshot of its feed that is
 * at most 2 s old and no older than the stream was promised. The initial objects of selective feeds
 * are found in one pass for all streams that ask meanwhile ({@code ScanBatcher}): five thousand
 * node agents cost one look at each pod. Snapshots of a user start in the order of their requests,
 * and the bytes of concurrent snapshots are limited ({@code SnapshotAdmission}).
 *
 * <p><b>Threads.</b> Routers share a pool with as many threads as cores; each router runs on one
 * thread at a time. Replays and scans have one thread for all types. Streams belong to the event
 * loops of the transport, and all state of a stream is confined to its event loop. The loop
 * alternates between up to 32 tasks of single streams and one delivery to about 512 streams. So a
 * reconnect storm delays a delivery by at most 32 tasks. Locks are held for one bounded piece of
 * work: for the table of feeds, and for encoding one chunk. No thread sends while it holds a lock.
 * Joining, leaving and lagging are messages, and the writer waits for none of them. An exception
 * ends only the stream that it occurs in.
 *
 * <p><b>Bounds.</b> A response is at most 64 KiB unless a single object is larger, and so is the
 * output of one run of a stream. The number of feeds is limited ({@code FeedRegistry}).
 *
 * <p>The bytes queued in the transport are estimated and limited ({@code OutboundBytes}). Above the
 * limit, streams that were not reading get one response per tick; streams that read are not
 * throttled. A stream without progress for its stall timeout is closed (checked each second); below
 * the limit a stalled stream stays open. Above twice the limit the timeout is shorter, unless
 * another stream of its connection makes progress, so that it may have to wait for the connection
 * ({@code SlowReaderPolicy}).
 *
 * <p>Streams older than history pin a limited number of revisions ({@code PinnedRevisions}). They
 * catch up to common checkpoints, so that they share pins. Above the limit of revisions or bytes
 * the oldest pin is dropped, and its streams get a new snapshot or end. A replay builds at most
 * 65,536 frames; streams that need more ask again. While the heap budget is exhausted, snapshots
 * are refused, and revisions behind history are released ({@link io.watchgate.cache.HeapBudget}).
 * Each bound has a gauge in {@code ops}.
 *
 * <p><b>Rejected.</b> A queue of encoded events per stream, as in java-control-plane and most watch
 * servers: memory then depends on the slowest reader. Matching each change for each stream: five
 * thousand node agents looked at everything to find one change in five thousand. Keeping the frames
 * of a feed as long as history: a thousand selections that match everything kept sixty million
 * frames in ten minutes, where now there are none. Counting the readers of each frame: two
 * contended counter updates per delivery, where the followers of an event loop together need two
 * per change. A thread per stream: see {@code grpc}.
 */
@NullMarked
package io.watchgate.fanout;

import org.jspecify.annotations.NullMarked;
