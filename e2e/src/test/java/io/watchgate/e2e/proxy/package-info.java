/** A proxy of TCP connections that misbehaves as asked. */
@NullMarked
package io.watchgate.e2e.proxy;

import org.jspecify.annotations.NullMarked;
