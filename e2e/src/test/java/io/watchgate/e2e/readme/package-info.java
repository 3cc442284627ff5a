/**
 * Does what README.md and CONTRIBUTING.md tell people to do: every block of code in them is run, or
 * checked in the way that its row in {@link io.watchgate.e2e.readme.DocumentsTest} names. A block
 * without a row is a failure, and so is a row without a block.
 *
 * <p>Blocks run as they stand there, in {@link io.watchgate.e2e.readme.Checkout}, a copy of the
 * working tree that is built already. One rule bends them: {@link
 * io.watchgate.e2e.readme.Addresses} puts free ports for the three that are documented, since those
 * may be in use.
 */
@NullMarked
package io.watchgate.e2e.readme;

import org.jspecify.annotations.NullMarked;
