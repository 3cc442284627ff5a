/**
 * The informer: a store of all objects that match, kept up to date, and handlers that are told what
 * changes.
 *
 * <p><b>Idea.</b> A {@code Reflector} listens to one {@link io.watchgate.client.WatchCall}, which
 * resumes by itself. {@code UpdateApplier} makes of each update the next {@link
 * io.watchgate.informer.Snapshot}, an immutable map that shares all but a path with the one before,
 * and a list of {@code Change}s; a snapshot of the gateway's becomes the difference to what is
 * held. {@code Store} publishes it, and then each handler is told ({@code HandlerDispatcher}), from
 * a queue of its own. {@link io.watchgate.informer.Informer} is one program's hold on all that:
 * alone, or with others ({@link io.watchgate.informer.SharedInformers}).
 *
 * <p><b>Threads.</b> Everything that comes is applied on the call's owner, one after the other, so
 * that nothing of it needs a lock. What is held is a volatile reference: readers wait for nobody. A
 * handler is called by one thread at a time of the client's executor, and only while there is
 * something to tell; no lock is held then. A handler that comes later begins with the snapshot that
 * is held at that moment, under the lock under which the next one is published.
 *
 * <p><b>Bounds.</b> What is held is what matches. A handler's queue has as many changes as its
 * settings allow, and then holds up the stream, or one change of each object. While a snapshot
 * arrives it is held beside what there was; objects that are the same are not held twice.
 *
 * <p><b>Rejected.</b> A store behind a lock, as client-go has: whoever walks it holds up the
 * writer, or copies it first. Telling handlers on the stream's thread: the slowest would set the
 * pace for all. A queue without bound for each handler, as the informers of client-go have, whose
 * growth nobody sees.
 */
@NullMarked
package io.watchgate.informer;

import org.jspecify.annotations.NullMarked;
