@NullMarked
package io.watchgate.client;

import org.jspecify.annotations.NullMarked;
