@NullMarked
package io.watchgate.ops;

import org.jspecify.annotations.NullMarked;
