/** Programs that tests run: to their end for what they say, or beside the test. */
@NullMarked
package io.watchgate.e2e.program;

import org.jspecify.annotations.NullMarked;
