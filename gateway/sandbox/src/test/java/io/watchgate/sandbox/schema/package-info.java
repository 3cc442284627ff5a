@NullMarked
package io.watchgate.sandbox.schema;

import org.jspecify.annotations.NullMarked;
