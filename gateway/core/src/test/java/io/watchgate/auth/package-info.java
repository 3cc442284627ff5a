@NullMarked
package io.watchgate.auth;

import org.jspecify.annotations.NullMarked;
