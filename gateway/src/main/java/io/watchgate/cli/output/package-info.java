/**
 * What the client commands print on stdout: tables, JSON, YAML, names, paths, differences, or
 * nothing, while a command is run for each event. Each output writes all of an update at once and
 * flushes it, so that what was written is what may count as handled. Not thread-safe; one owner.
 *
 * <p>On a terminal the rows of changes bear a sign and a colour, those of a snapshot neither: it is
 * what is, not what happened. Elsewhere the text is plain, so that scripts see the same always.
 * Control characters in what the cluster sent are never given to a terminal.
 *
 * <p>All but {@link io.watchgate.cli.output.DiffOutput} forget an object once it is printed; that
 * one keeps the last body of each, up to a bound.
 */
@NullMarked
package io.watchgate.cli.output;

import org.jspecify.annotations.NullMarked;
