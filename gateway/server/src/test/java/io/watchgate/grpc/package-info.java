@NullMarked
package io.watchgate.grpc;

import org.jspecify.annotations.NullMarked;
