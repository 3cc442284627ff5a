/** The script {@code watchgate}, in a clone that is made of stand-ins and costs no time. */
@NullMarked
package io.watchgate.e2e.launcher;

import org.jspecify.annotations.NullMarked;
