/** Tests of the load generator. */
@NullMarked
package io.watchgate.bench;

import org.jspecify.annotations.NullMarked;
