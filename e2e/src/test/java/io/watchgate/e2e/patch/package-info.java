/**
 * Random patches to a real apiserver and to the gateway's own sandbox code, which must have the
 * same results. {@link io.watchgate.e2e.patch.PatchDifferentialTest} defines the comparison.
 */
@NullMarked
package io.watchgate.e2e.patch;

import org.jspecify.annotations.NullMarked;
