/**
 * Minimal JSON processing for a cache that passes objects on as bytes. An object is read once, on
 * arrival. {@link io.watchgate.json.KubeObject} keeps the bytes as sent and the offsets of the key,
 * the uid, the version, the labels, managedFields and the few selectable fields of a type. Numbers
 * above 2^53, unknown fields and the order of keys are preserved, because nothing is parsed into
 * values and printed again. In keys, uids, versions, labels and fields, text with escapes is equal
 * to the decoded text.
 *
 * <p>There are two scanners. {@code JsonScanner} scans an array. {@code StreamScanner} scans bytes
 * that are still arriving, for {@link io.watchgate.json.ListReader} (the items of a list, one at a
 * time) and {@link io.watchgate.json.WatchReader} (the frames of a watch). They detect transmission
 * errors, that is, truncated or mixed bytes, but do not check the form of numbers: the sender is a
 * JSON encoder. A stream that ends inside a value is a {@link
 * io.watchgate.json.TruncatedJsonException}, never a short object. An item or frame that cannot be
 * used (too large, too deep, of an unknown type, no object) is reported separately, and the next is
 * read.
 *
 * <p>{@link io.watchgate.json.PointerMask} selects parts of an object as slices of its bytes.
 * {@link io.watchgate.json.JsonDiff} finds the JSON patch between two documents with a flat index
 * of the offsets of their values. Neither builds a tree: equal text is an equal value.
 *
 * <p><b>Threads.</b> A reader or scanner is used by one thread. Their results are immutable.
 *
 * <p><b>Bounds.</b> One item, whose size the caller limits, and a buffer of 64 KiB are in memory. A
 * buffer that one large item enlarged to more than 1 MiB is released after that item. Nesting is
 * limited as the apiserver limits it.
 *
 * <p><b>Rejected.</b> Jackson's streaming parser: it takes twice the time to find the same parts
 * (the ingest benchmark measures both), because it decodes every name and value it passes. A tree
 * of values: it costs several times the memory of the bytes, and would have to be printed again.
 * Protobuf from the apiserver: it is smaller and faster, but custom resources have no protobuf, and
 * subscribers are promised JSON.
 */
@NullMarked
package io.watchgate.json;

import org.jspecify.annotations.NullMarked;
