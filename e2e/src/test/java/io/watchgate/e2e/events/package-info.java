/** Tests of watches as server-sent events before a real apiserver. */
@NullMarked
package io.watchgate.e2e.events;

import org.jspecify.annotations.NullMarked;
