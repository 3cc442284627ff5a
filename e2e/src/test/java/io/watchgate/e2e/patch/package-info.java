/**
 * Random patches, to a real apiserver and to the gateway's own sandbox code, which must come to the
 * same. {@link io.watchgate.e2e.patch.PatchDifferentialTest} says how they are compared.
 */
@NullMarked
package io.watchgate.e2e.patch;

import org.jspecify.annotations.NullMarked;
