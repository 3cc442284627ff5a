/**
 * Pages for operators on the port of probes and metrics: who is connected, how far behind, why a
 * stream ended, what the types hold, why an object does not match a selection.
 *
 * <p>A {@link io.watchgate.ops.pages.DebugPage} makes a JSON object when it is asked. {@link
 * io.watchgate.ops.pages.TextPage} makes the text form of any such object, which {@code curl} gets.
 * Nothing is kept for the pages per open stream: the states of streams are read on their event
 * loops, some at a time, and only the rows of the page are kept.
 *
 * <p>No page has the content of an object, a token or the content of a file. Only the page of
 * explanations names an object, the one that it is asked for.
 */
@NullMarked
package io.watchgate.ops.pages;

import org.jspecify.annotations.NullMarked;
