/**
 * Proxies with fault injection in front of an apiserver: {@link io.watchgate.e2e.proxy.FaultProxy}
 * for connections of any protocol, {@link io.watchgate.e2e.proxy.DamagingProxy} for answers. The
 * server behind them is real, so that a client which received damaged data recovers to the real
 * state and not to a script.
 */
@NullMarked
package io.watchgate.e2e.proxy;

import org.jspecify.annotations.NullMarked;
