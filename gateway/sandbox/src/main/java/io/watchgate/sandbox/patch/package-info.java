/**
 * Patches that an apiserver accepts, on JSON trees: merge patch (RFC 7386), JSON patch (RFC 6902),
 * and strategic merge patch, which uses a {@link io.watchgate.sandbox.schema.Schema}. A patch is
 * parsed once and can be applied to any number of objects. So a write can apply it again after a
 * conflict. No method modifies its arguments, so stored objects do not change. Any thread.
 *
 * <p>Where the apiserver differs from the RFCs, this package follows the apiserver, because its
 * clients expect that behavior; comments mark each difference. Error messages differ: the apiserver
 * only reports that a JSON patch failed, while this package names the operation and its path.
 *
 * <p><b>Bounds.</b> The reader of the request limits the body. The parser limits its nesting (255).
 * A JSON patch has at most 10,000 operations, as in an apiserver.
 *
 * <p><b>Rejected.</b> Libraries for the patches: none supports strategic merge patches or the
 * apiserver's differences. Server-side apply: it needs the ownership of fields.
 */
@NullMarked
package io.watchgate.sandbox.patch;

import org.jspecify.annotations.NullMarked;
