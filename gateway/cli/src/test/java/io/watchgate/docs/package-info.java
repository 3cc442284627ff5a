/** Generators of the reference pages, and tests of the documents. */
@NullMarked
package io.watchgate.docs;

import org.jspecify.annotations.NullMarked;
