@NullMarked
package io.watchgate.kube;

import org.jspecify.annotations.NullMarked;
