/**
 * A table in place: the objects that match, as they are now, and below them what changed last. Pure
 * but for {@link io.watchgate.cli.live.Screen}, which owns the terminal while it is open.
 *
 * <p>Not thread-safe: updates and drawing take turns under the lock of whoever owns the table.
 * Bounds: the bodies of all objects that match are held, for the columns; of changes the last few.
 */
@NullMarked
package io.watchgate.cli.live;

import org.jspecify.annotations.NullMarked;
