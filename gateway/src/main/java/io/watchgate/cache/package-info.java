/**
 * One list-watch and one state for each resource type. A {@link io.watchgate.cache.WatchCache} is a
 * chain of {@link io.watchgate.cache.Revision}s: each holds the complete state there, the changes
 * that led to it, and the way to the next. A new reader takes the head, sends its state, and
 * follows; as what is published never changes, it needs no lock for that, and one that is slow
 * holds up nobody.
 *
 * <p>{@link io.watchgate.cache.StateMap} is a persistent B+tree in the order in which the apiserver
 * lists: a new state shares all but one path with the one before. So a snapshot costs nothing, and
 * {@link io.watchgate.cache.StateDiff}, which skips what two states share, costs what differs. That
 * diff is how a list anew is published, and how a reader that fell behind catches up.
 *
 * <p>{@code Reflector} keeps the state equal to upstream's, {@code FailurePolicy} decides what
 * follows on a failure, {@code WatchApplier} refuses events that cannot follow on what is held,
 * {@code SkippedObjects} records those that cannot be read, each of which alone is left out, {@code
 * Prober} asks beside the watch how far the apiserver has come, {@code StalenessTracker} says as of
 * when that proves the state complete, {@code HistoryProof} compares the state with the apiserver's
 * after a lost connection, and {@code SelfCheck} does now and then. {@link
 * io.watchgate.cache.Upstream} and {@link io.watchgate.cache.Cluster} say what is needed of the
 * apiserver; {@code kube} implements them, so that all of this is tested against a script, in
 * virtual time. {@link io.watchgate.cache.TypeRegistry} opens types when they are asked for, and
 * closes those that nobody reads.
 *
 * <p><b>Other replicas.</b> None is talked to: what two of them know is compared by what their
 * tokens carry, the version and the digest of the state there. A position that this cache cannot
 * judge is looked up upstream ({@link io.watchgate.cache.UpstreamLookups}): whether the apiserver
 * has come to it, and what happened between it and the oldest revision here ({@code Backfill}),
 * which then is history like other history. What only the writer may act on is a {@code Command}:
 * the watch is cut, and the reflector does it next.
 *
 * <p><b>Restored clusters.</b> A cluster restored from a backup uses versions again. If it has come
 * further than the held version before the gateway reaches it, its watch sends changes of another
 * history, and nothing in them says so. So the state is in doubt after each end of a watch that is
 * not the one that was asked for, after a probe that failed between two watches, and after more
 * than five seconds without a watch. While it is in doubt, nothing is taken in and no answer proves
 * it up to date. {@code HistoryProof} ends the doubt by a list of all metadata at exactly the held
 * version, of which the digest has to be equal: key, uid and version of all objects. Nothing less
 * is sound: an object whose version is unchanged says nothing of the others, a count misses
 * updates, and an apiserver keeps its name and start over a restore of its etcd. Where the version
 * is compacted or exact lists are unknown, a list of the present metadata and a brief watch that
 * leads to it take its place; where they do not meet, a list follows, and is a lost history if it
 * has an object of the past that is not held ({@code RevisionBuilder}).
 *
 * <p>The cost is a list of metadata for each type and lost connection, 500 objects a request: one
 * request for most types, about 200 for 100,000 objects, for which streams of that type stand
 * still. It is made after a watch of a second has shown that the next watch would be accepted, if
 * the type is large: after a restart an apiserver refuses most watches, and then only the full list
 * is made. Four types are compared at a time. Rejected: to open the watch and hold its changes back
 * until the comparison is done, which saves that second and costs a second thread for each type.
 *
 * <p>What would end a history or a type is asked for twice, a second apart and over another
 * connection: one apiserver of several may lag, or have just started.
 *
 * <p><b>Threads.</b> Each type has one platform thread, its reflector's: the only writer; and a few
 * virtual ones that only ask: its prober's, its self-check's, and those of inquiries while there
 * are any. Readers come from anywhere. Listeners run on the writer and only raise flags. Two locks
 * are held for a few steps, never while calling out: the history's, for appending and for finding a
 * position, and the registry's.
 *
 * <p><b>Bounds.</b> History ends by age and by bytes, whichever comes first; trimming cuts
 * forwards, so that one who holds an old revision keeps its state alive and nothing after it. What
 * laggards keep is bounded by {@link io.watchgate.cache.WatchCache#mayStandOn}. The bytes of all
 * states share a {@code StateBudget}: a type beyond it ends while others go on. At most 10,000 keys
 * of objects that are left out are remembered for each type. All of this and what other parts of
 * the gateway hold share the {@link io.watchgate.cache.HeapBudget}, which says what gives way first
 * when the heap is full. Each has a metric in {@code ops}. A thread that waits for long holds no
 * revision in a local variable: that would keep a whole state alive.
 *
 * <p><b>Rejected.</b> A hash map under a lock and a ring of events beside it, as client-go and the
 * apiserver have: a snapshot then copies, or holds up the writer, and one who falls out of the ring
 * has nothing to compare with and lists everything. A queue for each subscriber: its memory grows
 * with the slow ones.
 */
@NullMarked
package io.watchgate.cache;

import org.jspecify.annotations.NullMarked;
