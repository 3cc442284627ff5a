/**
 * What the built-in types look like: their fields, the types of these, and how lists merge. The
 * facts stand in a text file, {@code types.txt}, made from a real apiserver's {@code /openapi/v2};
 * a test against one makes sure that it is what that apiserver says.
 *
 * <p>The file is read when the first schema is asked for, and a definition in it when it is first
 * needed, so that whoever starts without writing pays nothing. Immutable; any thread.
 *
 * <p>Rejected: the OpenAPI document itself (2 MB, mostly descriptions, and slow to parse); and
 * classes for every type, which pass on only what they know.
 */
@NullMarked
package io.watchgate.sandbox.schema;

import org.jspecify.annotations.NullMarked;
