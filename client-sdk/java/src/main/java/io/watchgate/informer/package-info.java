/**
 * The informer: a store of all matching objects, kept up to date, with handlers that are notified
 * of changes.
 *
 * <p><b>Idea.</b> A {@code Reflector} listens to one {@link io.watchgate.client.WatchCall}, which
 * resumes by itself. {@code UpdateApplier} computes from each update the next {@link
 * io.watchgate.informer.Snapshot}, an immutable map that shares all but a path with its
 * predecessor, and a list of {@code Change}s. From a snapshot that the gateway sends it computes
 * the differences to the current state of the store. {@code Store} publishes the snapshot and then
 * queues the changes for each handler ({@code HandlerDispatcher}). {@link
 * io.watchgate.informer.Informer} is the program's handle: on its own store, or on a shared store
 * ({@link io.watchgate.informer.SharedInformers}).
 *
 * <p><b>Threads.</b> Updates are applied one after another on the call's serial executor, so
 * applying needs no lock. The current snapshot is a volatile reference, so readers never wait. One
 * thread of the client's executor at a time calls a handler, only while changes are queued, and
 * without a lock. A handler that is added later starts with the current snapshot, taken under the
 * lock under which the next snapshot is published.
 *
 * <p><b>Bounds.</b> The store has the matching objects. A handler's queue has either as many
 * changes as its settings allow, and then blocks the stream, or one change of each object. While a
 * snapshot arrives, it is stored in addition to the current one; unchanged objects are stored once.
 *
 * <p><b>Rejected.</b> A store behind a lock, as client-go has: an iterating reader blocks the
 * writer or has to copy the store first. Calling handlers on the stream's thread: the slowest
 * handler would slow down all. An unbounded queue for each handler, as the informers of client-go
 * have: its growth is invisible.
 */
@NullMarked
package io.watchgate.informer;

import org.jspecify.annotations.NullMarked;
