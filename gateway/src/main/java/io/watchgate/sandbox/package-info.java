/**
 * The embedded apiserver: the read protocol of {@link io.watchgate.http} plus writes, over caches
 * that it owns, in memory.
 */
@NullMarked
package io.watchgate.sandbox;

import org.jspecify.annotations.NullMarked;
