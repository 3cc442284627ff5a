@NullMarked
package io.watchgate.audit;

import org.jspecify.annotations.NullMarked;
