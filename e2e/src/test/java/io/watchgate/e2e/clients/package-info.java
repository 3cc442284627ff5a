/**
 * The Python client of {@code e2e/python}, made of nothing but generated stubs, against the
 * gateway.
 */
@NullMarked
package io.watchgate.e2e.python;

import org.jspecify.annotations.NullMarked;
