/**
 * What a cluster is told to run gateways: the manifests of {@code gateway/deploy}, filled in. They
 * are texts with places in them, so that a reader sees what will be there; and rendered by the
 * command, so that the rights it asks for are those of the types that it is to serve, and no more.
 */
@NullMarked
package io.watchgate.cli.deploy;

import org.jspecify.annotations.NullMarked;
