/**
 * One list-watch and one state for each resource type. A {@link io.watchgate.cache.WatchCache} is a
 * chain of {@link io.watchgate.cache.Revision}s. Each revision has the complete state, the changes
 * that led to this state, and a link to the next revision. A new reader takes the head, sends its
 * state and follows the links. The state of a published revision never changes, so a reader needs
 * no lock and a slow reader delays no other thread.
 *
 * <p>{@link io.watchgate.cache.StateMap} is a persistent B+tree in the order in which the apiserver
 * lists. A new state shares all but one path with the state before. So a snapshot costs nothing,
 * and the cost of {@link io.watchgate.cache.StateDiff}, which skips shared subtrees, is
 * proportional to the difference. The cache publishes a relist as such a diff, and a reader that
 * lags catches up with one.
 *
 * <p>{@code Reflector} keeps the state equal to the apiserver's. {@code FailurePolicy} decides the
 * reaction to a failure. {@code WatchApplier} refuses events that cannot follow the cached state.
 * {@code SkippedObjects} records objects that cannot be read; each of them alone is left out.
 * {@code PeriodicProbe} asks the apiserver for its version beside the watch, and {@code
 * StateProofs} derives when the state was last proven complete. {@code SameVersionComparison}
 * compares the state with the apiserver's: after a lost connection, by {@code HistoryProof}, and
 * periodically, by {@code SelfCheck}. {@code FreshnessProof} proves for a request that the state is
 * that of the moment of asking, or later. {@link io.watchgate.cache.Upstream} and {@link
 * io.watchgate.cache.Cluster} define what the cache needs of the apiserver. {@code kube} implements
 * them, so that all of this is tested against a script, in virtual time. {@link
 * io.watchgate.cache.TypeRegistry} opens types on demand and closes types without readers.
 *
 * <p><b>Other replicas.</b> A replica talks to no other replica. Their knowledge is compared
 * through tokens, which carry a version and the digest of the state at this version. A position
 * that this cache cannot judge is looked up upstream ({@link io.watchgate.cache.UpstreamLookups}):
 * whether the apiserver has reached it, and which changes lie between it and the oldest revision
 * here ({@code Backfill}). Backfilled revisions are history like any other. A {@code Command} is
 * work that only the writer may do: it interrupts the watch, and the reflector executes it next.
 *
 * <p><b>Restored clusters.</b> A cluster restored from a backup uses versions again. If its version
 * passes the cached version before the gateway reconnects, its watch sends changes of another
 * timeline, and nothing in them says so. So the state is in doubt after each end of a watch other
 * than at the requested time. It is also in doubt after a failed probe between two watches, and
 * after more than five seconds without a watch. While the state is in doubt, no change is applied
 * and no answer proves the state up to date. {@code HistoryProof} ends the doubt with a list of all
 * metadata at exactly the cached version. The digest of this list has to be equal: key, uid and
 * version of all objects. Nothing less is sound: an object whose version is unchanged says nothing
 * about other objects, a count misses updates, and an apiserver keeps its name and start time over
 * a restore of its etcd. If the version is compacted or exact lists are not supported, a list of
 * the present metadata and a brief watch that leads to it replace the exact list. If the watch does
 * not lead to that list, a full list follows. The full list shows a lost timeline if it has an
 * object from before the cached version that is not cached ({@code RevisionBuilder}).
 *
 * <p>The cost is one list of metadata for each type and lost connection, 500 objects a request: one
 * request for most types, about 200 for 100,000 objects. Streams of the type pause meanwhile. For a
 * large type, a watch of one second first checks that the next watch would be accepted: after a
 * restart an apiserver refuses most watches, and then only the full list is made. At most four
 * types are compared at a time. Rejected: to open the watch and buffer its changes until the
 * comparison is done, which saves that second and costs a second thread for each type.
 *
 * <p><b>Double check.</b> An answer that would end a history or a type is asked for twice, a second
 * apart and over another connection: one apiserver of several may lag, or have just started.
 *
 * <p><b>Threads.</b> Each type has one platform thread, its reflector's, which is the only writer.
 * A few virtual threads only ask: the probe's, the self-check's, and those of upstream lookups
 * while there are any. Readers may use any thread. Listeners run on the writer's thread and only
 * set flags. Locks are held for one short operation, and never while the apiserver is asked or a
 * listener runs. Readers meet two of them: the history's, to find a position, and the registry's.
 *
 * <p><b>Bounds.</b> History is limited by age and by bytes, whichever limit is reached first.
 * Trimming removes the forward link, so a reader that pins an old revision keeps its state
 * reachable and nothing after it. {@link io.watchgate.cache.WatchCache#canPin} bounds the bytes
 * that laggards pin. The states of all types share a {@code StateBudget}: a type that exceeds it
 * ends, other types continue. At most 10,000 keys of skipped objects are remembered for each type.
 * All of this and the other parts of the gateway share the {@link io.watchgate.cache.HeapBudget},
 * which defines what is released first when the heap is full. Each bound has a metric in {@code
 * ops}. A thread that waits for long must have no revision in a local variable, which would keep a
 * complete state reachable.
 *
 * <p><b>Rejected.</b> A hash map under a lock and a ring of events beside it, as in client-go and
 * the apiserver: a snapshot then copies or blocks the writer, and a reader that falls out of the
 * ring has nothing to compare with and lists everything. A queue for each subscriber: its memory
 * grows with the slow subscribers.
 */
@NullMarked
package io.watchgate.cache;

import org.jspecify.annotations.NullMarked;
