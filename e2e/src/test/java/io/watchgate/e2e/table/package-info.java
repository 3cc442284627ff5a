/** Comparison of the gateway's table rows with those of a real apiserver. */
@NullMarked
package io.watchgate.e2e.table;

import org.jspecify.annotations.NullMarked;
