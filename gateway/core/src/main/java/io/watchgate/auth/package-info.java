/**
 * Authentication of callers, authorization of what they read, and re-checks of both while their
 * streams are open.
 *
 * <p>The gateway reads with rights of its own and serves many callers. Whether a caller may read an
 * object is decided here, only by the apiserver's own answers. A call has {@link
 * io.watchgate.auth.Credentials}. The {@link io.watchgate.auth.Authenticator} turns them into a
 * {@link io.watchgate.auth.Caller} by TokenReview, by the certificate of the connection, or by a
 * file. The {@link io.watchgate.auth.Authorizer} asks, by SubjectAccessReview, whether the caller
 * may list and watch exactly the requested selection. The answer is yes or no: nothing is narrowed,
 * and the caller is no part of any feed, so that the event path is independent of authorization.
 * Every outcome except a plain yes is a no, including a failure to ask the apiserver.
 *
 * <p>Kubernetes authorizes a watch once, when it is opened. Here an open stream has an {@link
 * io.watchgate.auth.ActiveGrant} of (caller, selection), shared by all streams with the same two.
 * {@link io.watchgate.auth.GrantRechecker} reviews it again, bypassing the cache, every few
 * minutes, and after {@link io.watchgate.auth.RoleWatch} has seen a change of roles or bindings: at
 * once, and twice more, since the apiserver decides by a cache of its own. It also ends the grant
 * when the caller's credentials expire. A stream whose grant is revoked is closed before its next
 * event. While the apiserver does not answer, open streams continue for a configured time, and then
 * end.
 *
 * <p><b>Threads.</b> Authentication and authorization may block, on the virtual thread of a call.
 * {@code GrantRechecker} reviews on a limited number of virtual threads, fewer for one user, round
 * robin by user; until a new answer arrives, calls are admitted by the cached one. The expiry of
 * credentials and of the grace period does not wait for reviews. Everything here may be called from
 * any thread.
 *
 * <p><b>Bounds.</b> The numbers are in {@link io.watchgate.auth.AuthSettings}, {@code
 * ReviewCacheSettings}, {@code UnknownTokenSettings} and {@code RoleCheckSettings}. The caches of
 * tokens and of decisions evict the least used entries first. Further limits apply to concurrent
 * questions to the apiserver (in {@code kube}), to unknown tokens of one address, and to the
 * streams, calls per second and different selections of one user ({@link
 * io.watchgate.auth.UserQuotas}). There are at most as many grants as streams.
 *
 * <p><b>Secrets.</b> A token is kept in memory while a stream that was opened with it is open,
 * since it is sent to the apiserver again; the caches use a keyed hash. Nothing here writes a token
 * anywhere: {@code toString} hides it.
 *
 * <p><b>Rejected.</b> Opening each subscriber's watch upstream as that user (impersonation): the
 * apiserver would decide, but nothing could be shared. Evaluating RBAC here, from the watched
 * roles: other authorizers, the Node authorizer and webhooks, would be ignored. Narrowing a
 * selection to the allowed namespaces: a subscriber would miss objects without knowing it.
 */
@NullMarked
package io.watchgate.auth;

import org.jspecify.annotations.NullMarked;
