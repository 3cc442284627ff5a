/**
 * The command {@code watchgate}.
 *
 * <p>{@code watch}, {@code list} and {@code types} are ordinary clients: they speak gRPC through
 * the client SDK and use no internals of the gateway. stdout carries data only and is flushed after
 * each response; all messages for a person are written to stderr. {@link
 * io.watchgate.cli.WatchSession} runs on the SDK's serial executor of the call. So a slow reader of
 * stdout slows the gateway's stream down, and nothing is queued here. {@link
 * io.watchgate.cli.PrintedObjects} remembers key, uid and version of everything printed, so that a
 * snapshot after a reconnect prints only the differences. Each update is first printed completely,
 * or handed to a command that has to end, and then its position is saved. A watch that resumes from
 * a saved token may therefore see an event again, and misses none.
 *
 * <p>{@link io.watchgate.cli.CommandTree} instantiates only the named command, and clients load
 * neither a logging configuration nor the classes that {@code serve} needs: every class loaded
 * before the first row delays that row. Groups of options that several commands have are mixins,
 * {@code …Options}.
 */
@NullMarked
package io.watchgate.cli;

import org.jspecify.annotations.NullMarked;
