/**
 * Who may watch what, through a whole gateway before a real apiserver with RBAC.
 *
 * <p>The gateway is {@code watchgate serve} in a process of its own, and has an account of its own
 * that may read what is served and ask about others ({@link io.watchgate.e2e.access.Servant}), so
 * that it would show where somebody is answered with the gateway's rights or somebody else's. The
 * truth is never what the gateway asks, a review: it is what the apiserver answers to the same
 * person who asks for the same by himself. Nothing of the gateway's own code is used but its
 * command line and what subscribers see. Each person, account and namespace belongs to one test, as
 * the apiserver may be shared.
 *
 * <p>Not chosen: impersonation for the direct side. It would need no tokens, but it is another way
 * to an identity, and a difference of the two ways is what is looked for.
 */
@NullMarked
package io.watchgate.e2e.access;

import org.jspecify.annotations.NullMarked;
