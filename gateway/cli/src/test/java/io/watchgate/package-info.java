@NullMarked
package io.watchgate;

import org.jspecify.annotations.NullMarked;
