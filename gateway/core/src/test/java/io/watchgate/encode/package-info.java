@NullMarked
package io.watchgate.encode;

import org.jspecify.annotations.NullMarked;
