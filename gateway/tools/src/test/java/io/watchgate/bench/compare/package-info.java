/** Tests of the comparison of servers. */
@NullMarked
package io.watchgate.bench.compare;

import org.jspecify.annotations.NullMarked;
