@NullMarked
package io.watchgate.browser;

import org.jspecify.annotations.NullMarked;
