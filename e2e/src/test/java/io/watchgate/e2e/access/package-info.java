/**
 * Tests of access control, through a complete gateway in front of a real apiserver with RBAC.
 *
 * <p>The gateway is {@code watchgate serve} in a separate process. Its account may only read the
 * served types and create reviews ({@link io.watchgate.e2e.access.GatewayAccount}), so that a
 * request answered with the gateway's rights, or with those of another user, would be visible. The
 * expected result is never a review, which the gateway uses itself: it is the apiserver's answer to
 * the same user's own request. Of the gateway, the tests use only the command line and the API.
 * Each user, account and namespace belongs to one test, because the apiserver may be shared.
 *
 * <p>Rejected: impersonation for the direct side. It would need no tokens, but it derives the
 * identity in another way, and a difference between the two ways is what the tests look for.
 */
@NullMarked
package io.watchgate.e2e.access;

import org.jspecify.annotations.NullMarked;
