/** The schemas of the built-in types that the gateway carries, against those of an apiserver. */
@NullMarked
package io.watchgate.e2e.schema;

import org.jspecify.annotations.NullMarked;
