/**
 * Tests of gateways whose heap is too small for the requested state. Each gateway is a separate
 * process in front of an apiserver stub that generates its objects on demand. For any request, the
 * gateway must not fail with OutOfMemoryError, and each stream that ends must get a reason.
 */
@NullMarked
package io.watchgate.e2e.heap;

import org.jspecify.annotations.NullMarked;
