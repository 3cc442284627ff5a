/**
 * The command {@code watchgate}.
 *
 * <p>{@code watch} is a client like any other: it speaks gRPC through the client SDK and knows
 * nothing of the gateway's inside. stdout is data only and is flushed after each response; whatever
 * a person should know besides goes to stderr. {@link io.watchgate.cli.WatchSession} runs on the
 * SDK's one owner of the call, so a reader of stdout that is slow slows the gateway's stream down
 * and nothing is queued here. {@link io.watchgate.cli.HeldObjects} remembers key, uid and version
 * of what was printed, so that a snapshot after a reconnect prints only what differs.
 */
@NullMarked
package io.watchgate.cli;

import org.jspecify.annotations.NullMarked;
