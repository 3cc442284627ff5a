/**
 * Writer and watcher that use the apiserver directly, with OkHttp and Jackson and without the
 * gateway's code, so that they are an independent reference.
 */
@NullMarked
package io.watchgate.e2e.kube;

import org.jspecify.annotations.NullMarked;
