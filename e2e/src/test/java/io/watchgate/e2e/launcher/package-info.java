/** Tests of the script {@code watchgate}, in a clone of fast fakes. */
@NullMarked
package io.watchgate.e2e.launcher;

import org.jspecify.annotations.NullMarked;
