/** What the gateway prints of an object, against what a real apiserver prints of it. */
@NullMarked
package io.watchgate.e2e.table;

import org.jspecify.annotations.NullMarked;
