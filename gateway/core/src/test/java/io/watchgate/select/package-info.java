@NullMarked
package io.watchgate.select;

import org.jspecify.annotations.NullMarked;
