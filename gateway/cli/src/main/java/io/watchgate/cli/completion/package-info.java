/**
 * Completion scripts for shells, generated from picocli's model of the commands, so that a new
 * option is completed without further work. Types are requested from the gateway at most once a
 * minute. Pure functions; any thread.
 *
 * <p>Rejected: picocli's own generator. It does not support fish, and cannot request values when
 * the tab key is pressed.
 */
@NullMarked
package io.watchgate.cli.completion;

import org.jspecify.annotations.NullMarked;
