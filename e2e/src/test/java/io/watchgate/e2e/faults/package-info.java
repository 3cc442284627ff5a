/**
 * Tests of invalid input and faults, each through the complete gateway: behind it a real
 * kube-apiserver, in front of it generated stubs.
 *
 * <p>Every test checks the caller's error (status, reason, action) or the continuation of the
 * stream, and that no change was lost. {@link io.watchgate.e2e.faults.ClientState} computes the
 * state of a client by the rules of {@code watch.proto} and reports violations; the final state
 * must equal the apiserver's list. Faults of a real apiserver are made at a real apiserver. Other
 * faults (HTML, half an answer) are inserted into its answers by {@link
 * io.watchgate.e2e.proxy.DamagingProxy}, which is in front of a real apiserver as well, so that the
 * gateway recovers to the real state and not to a script.
 */
@NullMarked
package io.watchgate.e2e.faults;

import org.jspecify.annotations.NullMarked;
