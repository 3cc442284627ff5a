/**
 * The gateway's own list, watch and discovery against a real kube-apiserver: what the stub of the
 * unit tests pretends to be is held to what it is.
 */
@NullMarked
package io.watchgate.e2e.upstream;

import org.jspecify.annotations.NullMarked;
