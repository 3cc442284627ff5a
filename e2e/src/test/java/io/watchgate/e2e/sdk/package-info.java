/**
 * Tests of the Java client as users have it: as a jar with only its dependencies, on the oldest
 * supported Java and protobuf; and of the programs in {@code examples}.
 */
@NullMarked
package io.watchgate.e2e.sdk;

import org.jspecify.annotations.NullMarked;
