/**
 * What stands before an apiserver and misbehaves as asked: {@link
 * io.watchgate.e2e.proxy.FaultProxy} with connections, whatever they carry, {@link
 * io.watchgate.e2e.proxy.DamagingProxy} with answers. What is behind them is real, so that whoever
 * was told nonsense comes back to the truth and not to a script.
 */
@NullMarked
package io.watchgate.e2e.proxy;

import org.jspecify.annotations.NullMarked;
