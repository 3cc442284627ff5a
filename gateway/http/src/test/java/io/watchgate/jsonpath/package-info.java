@NullMarked
package io.watchgate.jsonpath;

import org.jspecify.annotations.NullMarked;
