/**
 * Errors of the gateway: the error reply, its exception, and the factories of all replies. Each
 * sentence that a subscriber can read as the gateway's own is in one of the factories, by topic:
 *
 * <ul>
 *   <li>{@link io.watchgate.error.RequestErrors}: the request is wrong;
 *   <li>{@link io.watchgate.error.AccessErrors}: credentials and permissions;
 *   <li>{@link io.watchgate.error.LimitErrors}: a limit is reached, or memory is full;
 *   <li>{@link io.watchgate.error.UpstreamErrors}: the apiserver's side, and versions that have not
 *       arrived;
 *   <li>{@link io.watchgate.error.StreamErrors}: the end of a stream whose request was valid.
 * </ul>
 *
 * <p>A text says what was asked, what is wrong, and what to do. It may contain a part from another
 * package: the message of a selector's parser with its column, the apiserver's own answer, or the
 * remedy for a failure of the apiserver. The delay after which a client retries is part of the
 * factory, too. Everything is immutable, and depends on the contract only.
 */
@NullMarked
package io.watchgate.error;

import org.jspecify.annotations.NullMarked;
