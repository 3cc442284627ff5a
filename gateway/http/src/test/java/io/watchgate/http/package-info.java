@NullMarked
package io.watchgate.http;

import org.jspecify.annotations.NullMarked;
