/**
 * Tests of README.md, CONTRIBUTING.md, SUPPORT.md and docs: every code block is run, or checked as
 * its row in {@link io.watchgate.e2e.documents.BlockTable} defines. A block without a row is a
 * failure, and so is a row without a block.
 *
 * <p>Blocks run unchanged in {@link io.watchgate.e2e.documents.Checkout}, a copy of the working
 * tree that is already built. One exception: {@link io.watchgate.e2e.documents.Addresses} replaces
 * the three documented ports by free ones, because the documented ports may be in use.
 */
@NullMarked
package io.watchgate.e2e.documents;

import org.jspecify.annotations.NullMarked;
