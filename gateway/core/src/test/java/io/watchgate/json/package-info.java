@NullMarked
package io.watchgate.json;

import org.jspecify.annotations.NullMarked;
