@NullMarked
package io.watchgate.sandbox.patch;

import org.jspecify.annotations.NullMarked;
