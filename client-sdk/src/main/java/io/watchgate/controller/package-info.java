/**
 * The controller: reconciles objects, one at a time each, until what is there is what is meant.
 *
 * <p><b>Idea.</b> {@link io.watchgate.controller.WorkQueue} holds names of what has to be looked
 * at, each once; {@link io.watchgate.controller.Controller} puts in it what an informer tells of,
 * has workers take from it, and puts back what failed, later each time. A reconciler is given a
 * name and looks at the store: what happened in between is no matter, and what it missed it cannot
 * miss.
 *
 * <p><b>Threads.</b> Each worker is a task of the executor, for as long as the controller runs.
 * What is delayed needs none: whoever waits for work waits for it, too.
 *
 * <p><b>Bounds.</b> A queue has each name once, and what names there are is up to the informer. A
 * mapping function's keys are held once for each object of its informer.
 *
 * <p><b>Rejected.</b> Giving reconcilers the event: then one that is lost, or joined with another,
 * is an error of theirs. A scheduler thread for each queue.
 */
@NullMarked
package io.watchgate.controller;

import org.jspecify.annotations.NullMarked;
