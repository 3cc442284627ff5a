@NullMarked
package io.watchgate.sandbox.protobuf;

import org.jspecify.annotations.NullMarked;
