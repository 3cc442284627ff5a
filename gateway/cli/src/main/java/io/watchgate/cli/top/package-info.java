/**
 * The table of {@code watchgate top}: replicas and their streams, from their pages for operators.
 */
@NullMarked
package io.watchgate.cli.top;

import org.jspecify.annotations.NullMarked;
