/**
 * Gateways with heaps that are too small for what they are asked to hold. Each is a process of its
 * own, before an apiserver stub that makes its objects when they are asked for. Whatever is asked
 * of the gateway, it ends with no OutOfMemoryError, and each stream that ends is told why.
 */
@NullMarked
package io.watchgate.e2e.heap;

import org.jspecify.annotations.NullMarked;
