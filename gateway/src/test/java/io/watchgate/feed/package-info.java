@NullMarked
package io.watchgate.feed;

import org.jspecify.annotations.NullMarked;
