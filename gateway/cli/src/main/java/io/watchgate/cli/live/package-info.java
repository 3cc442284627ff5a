/**
 * Table drawn in place: the current objects that match, and below them the last changes. Pure
 * functions, except {@link io.watchgate.cli.live.Screen}, which has the terminal to itself while it
 * is open.
 *
 * <p>Not thread-safe: updates and drawing are serialized by the lock of the caller that has the
 * table. Bounds: see {@link io.watchgate.cli.live.LiveTable}; of changes the last 50 are kept.
 */
@NullMarked
package io.watchgate.cli.live;

import org.jspecify.annotations.NullMarked;
