/** Programs that tests run: to their end for their output, or in parallel with the test. */
@NullMarked
package io.watchgate.e2e.program;

import org.jspecify.annotations.NullMarked;
