@NullMarked
package io.watchgate.admission;

import org.jspecify.annotations.NullMarked;
