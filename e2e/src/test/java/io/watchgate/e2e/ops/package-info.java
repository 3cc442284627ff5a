/** Tests of the pages for operators before a real apiserver. */
@NullMarked
package io.watchgate.e2e.ops;

import org.jspecify.annotations.NullMarked;
