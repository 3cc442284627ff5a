@NullMarked
package io.watchgate.path;

import org.jspecify.annotations.NullMarked;
