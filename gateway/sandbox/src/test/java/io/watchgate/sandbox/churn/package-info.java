@NullMarked
package io.watchgate.sandbox.churn;

import org.jspecify.annotations.NullMarked;
