@NullMarked
package io.watchgate.balance;

import org.jspecify.annotations.NullMarked;
