@NullMarked
package io.watchgate.fanout;

import org.jspecify.annotations.NullMarked;
