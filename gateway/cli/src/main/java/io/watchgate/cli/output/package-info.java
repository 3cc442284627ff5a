/**
 * Outputs of the client commands on stdout: tables, JSON, YAML, names, paths, differences, or
 * nothing while a command is run for each event. Each output writes all of an update at once and
 * flushes it, so that written updates count as handled. Not thread-safe; confined to one thread.
 *
 * <p>On a terminal, rows of changes have a sign and a color. Rows of a snapshot have neither,
 * because they are a state and no changes. Without a terminal, the text is plain, so that scripts
 * always read the same. Control characters in data of the cluster are never sent to a terminal.
 *
 * <p>All outputs forget an object once it is printed, except {@link
 * io.watchgate.cli.output.DiffOutput}, which keeps the last body of each object, up to a bound.
 */
@NullMarked
package io.watchgate.cli.output;

import org.jspecify.annotations.NullMarked;
