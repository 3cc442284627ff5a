/**
 * Tests of the Kubernetes read API of a gateway beside the kube-apiserver behind it: the same
 * request to both must have the same answer.
 */
@NullMarked
package io.watchgate.e2e.kubeapi;

import org.jspecify.annotations.NullMarked;
