/**
 * Composition of a running gateway: the objects of the other packages, wired together from {@link
 * io.watchgate.server.GatewaySettings}, started and stopped in order.
 *
 * <p>{@link io.watchgate.server.Gateway} is the only entry. It serves the probes first, then waits
 * for the identity of the cluster, then serves streams; closing drains them. Threads: one timer,
 * one for each type of {@code --type} (virtual), one for the audit file; all others belong to the
 * packages that are wired.
 */
@NullMarked
package io.watchgate.server;

import org.jspecify.annotations.NullMarked;
