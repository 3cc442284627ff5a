/**
 * The patches that an apiserver takes, on trees of JSON: merge patch (RFC 7386), JSON patch (RFC
 * 6902) and strategic merge patch, which a {@link io.watchgate.sandbox.schema.Schema} guides. A
 * patch is parsed once and then applied to any number of objects: a write that meets a conflict
 * applies it again. Nothing here changes its argument, so that an object in the store stays what it
 * is. Any thread.
 *
 * <p>Where the RFCs and the apiserver differ, the apiserver is followed, for its clients are those
 * that must find themselves at home; each such place says so. Its errors are not: it tells of a
 * failed JSON patch only that the request is in error, here the operation and its path are named.
 *
 * <p><b>Bounds.</b> The body is bounded by whoever reads it, its nesting by the parser (255), and a
 * JSON patch by 10,000 operations, as at an apiserver.
 *
 * <p>Rejected: a library for each of the patches, for none of them knows the strategic one or the
 * apiserver's departures; and server-side apply, which needs the ownership of fields.
 */
@NullMarked
package io.watchgate.sandbox.patch;

import org.jspecify.annotations.NullMarked;
