/**
 * Bad input and faults, each through the whole gateway: a real kube-apiserver behind it, generated
 * stubs before it.
 *
 * <p>Every test shows what the caller is told (status, reason, action), or what the stream goes on
 * with, and that nothing was lost: {@link io.watchgate.e2e.faults.Fold} holds what a client holds
 * by the rules of {@code watch.proto} and complains of what breaks them; in the end it must equal
 * what the apiserver lists. What a real apiserver does is done to a real one. What it does not
 * (HTML, half an answer) is put in its answers' place by {@link
 * io.watchgate.e2e.proxy.DamagingProxy}, which stands before a real one too, so that the gateway
 * comes back to the truth and not to a script.
 */
@NullMarked
package io.watchgate.e2e.faults;

import org.jspecify.annotations.NullMarked;
