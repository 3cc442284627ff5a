/**
 * The command {@code watchgate}.
 *
 * <p>{@code watch}, {@code list} and {@code types} are clients like any other: they speak gRPC
 * through the client SDK and know nothing of the gateway's inside. stdout is data only and is
 * flushed after each response; whatever a person should know besides goes to stderr. {@link
 * io.watchgate.cli.WatchSession} runs on the SDK's one owner of the call, so a reader of stdout
 * that is slow slows the gateway's stream down and nothing is queued here. {@link
 * io.watchgate.cli.PrintedObjects} remembers key, uid and version of what was printed, so that a
 * snapshot after a reconnect prints only what differs. Of an update first everything is printed, or
 * handed to a command that has to end, and then its position saved: whoever goes on from a saved
 * token may see an event again, and misses none.
 *
 * <p>{@link io.watchgate.cli.CommandTree} makes only the command that is named, and clients load
 * neither a logging configuration nor what {@code serve} needs: the first row waits for all that is
 * loaded before it. Groups of options that several commands have are mixins, {@code …Options}.
 */
@NullMarked
package io.watchgate.cli;

import org.jspecify.annotations.NullMarked;
