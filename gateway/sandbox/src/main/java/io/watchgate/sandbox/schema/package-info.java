/**
 * Schemas of the built-in types: their fields, the types of the fields, and the merging of lists.
 * The schemas are in the text file {@code types.txt}, generated from a real apiserver's {@code
 * /openapi/v2}. A test against an apiserver verifies the file.
 *
 * <p>The file is read on the first use of a schema, and a definition is parsed on its first use. So
 * a start without writes costs nothing. Immutable; any thread.
 *
 * <p><b>Rejected.</b> The OpenAPI document itself: it has 2 MB, mostly descriptions, and is slow to
 * parse. Java classes for the types: they lose unknown fields.
 */
@NullMarked
package io.watchgate.sandbox.schema;

import org.jspecify.annotations.NullMarked;
