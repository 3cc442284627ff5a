/**
 * A writer and a watcher that speak to the apiserver directly, with OkHttp and Jackson and nothing
 * of the gateway's own code, so that they can judge it.
 */
@NullMarked
package io.watchgate.e2e.kube;

import org.jspecify.annotations.NullMarked;
