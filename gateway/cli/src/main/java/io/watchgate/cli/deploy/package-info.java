/**
 * Manifests that run gateways in a cluster, rendered from the templates in {@code gateway/deploy}.
 * They are texts with placeholders, so that a reader sees the result. The command renders them, so
 * that the RBAC rules cover exactly the served types.
 */
@NullMarked
package io.watchgate.cli.deploy;

import org.jspecify.annotations.NullMarked;
