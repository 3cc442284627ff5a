/** Tests of the pages for operators. */
@NullMarked
package io.watchgate.ops.pages;

import org.jspecify.annotations.NullMarked;
