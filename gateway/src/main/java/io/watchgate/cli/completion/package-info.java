/**
 * Scripts that make shells complete command lines, made from picocli's model of the commands, so
 * that a new option is completed without a thought. Types are asked of the gateway, once a minute
 * at most. Pure functions; any thread.
 *
 * <p>Rejected: picocli's own generator. It knows no fish, and cannot ask for values when the
 * tabulator is pressed.
 */
@NullMarked
package io.watchgate.cli.completion;

import org.jspecify.annotations.NullMarked;
