/**
 * What runs a gateway in a cluster: the manifests before a real apiserver, and the image's runtime.
 */
@NullMarked
package io.watchgate.e2e.deploy;

import org.jspecify.annotations.NullMarked;
