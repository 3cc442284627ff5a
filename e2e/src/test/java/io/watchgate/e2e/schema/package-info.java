/** Comparison of the gateway's schemas of built-in types with those of an apiserver. */
@NullMarked
package io.watchgate.e2e.schema;

import org.jspecify.annotations.NullMarked;
