/**
 * The table of {@code watchgate top}: replicas and their streams, from their pages for operators,
 * and the keys of the person who looks at it.
 */
@NullMarked
package io.watchgate.cli.top;

import org.jspecify.annotations.NullMarked;
