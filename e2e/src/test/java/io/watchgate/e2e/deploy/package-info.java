/**
 * Tests of the cluster deployment: the manifests with a real apiserver, and the image's runtime.
 */
@NullMarked
package io.watchgate.e2e.deploy;

import org.jspecify.annotations.NullMarked;
