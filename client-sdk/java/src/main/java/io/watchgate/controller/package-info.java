/**
 * Controllers: reconcile objects until the actual state is the desired state, one worker per object
 * at a time.
 *
 * <p><b>Idea.</b> {@link io.watchgate.controller.WorkQueue} holds keys to reconcile, each once.
 * {@link io.watchgate.controller.Controller} adds the keys of changed objects, lets workers take
 * keys, and queues failed keys again with increasing delays. A reconciler receives a key and reads
 * the current state from the store. So intermediate changes do not matter, and no change can be
 * missed.
 *
 * <p><b>Threads.</b> Each worker is a task of the executor while the controller runs. Delayed keys
 * need no thread: the workers that wait for keys also wait for delays.
 *
 * <p><b>Bounds.</b> A queue has each key once, and the informer determines the keys. The keys of a
 * mapping function are stored once for each object of its informer.
 *
 * <p><b>Rejected.</b> Passing events to reconcilers: an event that is lost or combined with another
 * would then be an error of the reconciler. A scheduler thread for each queue.
 */
@NullMarked
package io.watchgate.controller;

import org.jspecify.annotations.NullMarked;
