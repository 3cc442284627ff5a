@NullMarked
package io.watchgate.cache;

import org.jspecify.annotations.NullMarked;
