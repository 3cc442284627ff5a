/**
 * Who is calling, what he may read, and whether that is still so while his stream is open.
 *
 * <p>The gateway reads with rights of its own and serves many: what it shows to whom is decided
 * here, by the apiserver's own answers and nothing else. A call comes with {@link
 * io.watchgate.auth.Credentials}; the {@link io.watchgate.auth.Authenticator} makes a {@link
 * io.watchgate.auth.Caller} of them (TokenReview, the certificate of the connection, a file); the
 * {@link io.watchgate.auth.Authorizer} asks, by SubjectAccessReview, whether he may list and watch
 * exactly what he selects. The answer is yes or no: nothing is narrowed, and who calls is no part
 * of any feed, so that the way of an event knows nothing of all this. Everything but a plain yes is
 * no, also that the apiserver cannot be asked.
 *
 * <p>Kubernetes asks once for a watch and then never again. Here an open stream is a {@link
 * io.watchgate.auth.ActiveGrant} of (caller, selection), shared by all streams of the same: {@link
 * io.watchgate.auth.GrantRechecker} asks again every few minutes, past all that is remembered; when
 * the caller's credentials expire; and whenever {@link io.watchgate.auth.RoleWatch} sees that roles
 * or bindings changed: at once, and after 2 and 10 s, since the apiserver decides by a cache of its
 * own. A stream whose grant is gone is cut before the next event. While the apiserver does not
 * answer, open streams go on for a configured time, and then end.
 *
 * <p><b>Threads.</b> Identification and authorisation may block, on the virtual thread of a call.
 * What {@code GrantRechecker} asks again it asks on at most 16 virtual threads, 12 for one user,
 * users taking turns; until an answer is there, callers get in by the one that is remembered. What
 * the clock decides alone waits for none of them. Everything here may be called from any thread.
 *
 * <p><b>Bounds.</b> What is remembered: 20,000 tokens and as many decisions, the least used go
 * first; questions to the apiserver that run at the same time (in {@code kube}); tokens that nobody
 * knows, by address; streams, openings a second and different selections of one user ({@link
 * io.watchgate.auth.UserQuotas}). Grants are as many as streams at most.
 *
 * <p><b>Secrets.</b> A token is held as long as a stream that came with it is open, since it is
 * shown to the apiserver again; what is remembered beside that goes by a keyed hash. Nothing here
 * writes one anywhere: {@code toString} hides it.
 *
 * <p><b>Rejected.</b> To open each subscriber's watch upstream as himself (impersonation): the
 * apiserver would decide, but nothing could be shared. To evaluate RBAC here, from the watched
 * roles: other authorisers, the Node authoriser and webhooks, would be ignored. To let the answer
 * narrow a selection to the namespaces that are allowed: a subscriber would miss objects, and not
 * know it.
 */
@NullMarked
package io.watchgate.auth;

import org.jspecify.annotations.NullMarked;
