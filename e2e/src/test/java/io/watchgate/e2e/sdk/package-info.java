/**
 * The Java client as its users have it: as a jar, with what it brings and nothing else, on the
 * oldest Java and the oldest protobuf that it is for; and the programs of {@code examples}.
 */
@NullMarked
package io.watchgate.e2e.sdk;

import org.jspecify.annotations.NullMarked;
