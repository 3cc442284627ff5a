@NullMarked
package io.watchgate.sandbox.wire;

import org.jspecify.annotations.NullMarked;
