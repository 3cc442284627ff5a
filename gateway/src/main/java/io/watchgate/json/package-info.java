/**
 * Just enough JSON for a cache that passes objects on as bytes. An object is read once, when it
 * arrives: {@link io.watchgate.json.KubeObject} keeps the bytes as sent and where in them stand the
 * key, the uid, the version, the labels, managedFields and the few fields that a type can be
 * selected by. Numbers beyond 2^53, unknown fields and the order of keys come through because
 * nothing is ever parsed into values and printed again. Text with escapes counts as the decoded
 * text: in keys, uids, versions, labels and fields.
 *
 * <p>Two scanners: {@code JsonScanner} runs over an array, {@code StreamScanner} over bytes that
 * are still arriving, for {@link io.watchgate.json.ListReader} (the items of a list, one at a time)
 * and {@link io.watchgate.json.WatchReader} (the frames of a watch). They check what can go wrong
 * on the way, bytes that are cut or mixed, and not the spelling of numbers: the other end is an
 * encoder of JSON. A stream that ends inside a value is a {@link
 * io.watchgate.json.TruncatedJsonException}, never a short object. One odd item or frame (too
 * large, too deep, of an unknown type, no object) is handed over apart, and the next is read.
 *
 * <p>{@link io.watchgate.json.PointerMask} cuts chosen parts out of an object, as pieces of its
 * bytes; {@link io.watchgate.json.JsonDiff} finds the JSON patch between two documents over a flat
 * index of where their values stand. Neither makes a tree: what is the same text is the same value.
 *
 * <p><b>Threads.</b> Readers and scanners belong to the thread that uses them. What they make is
 * immutable.
 *
 * <p><b>Bounds.</b> One item, of a size that the caller limits, and a buffer of 64 KiB are in
 * memory; a buffer that one large item made larger than 1 MiB is given back after it. Nesting is
 * limited as the apiserver limits it.
 *
 * <p><b>Rejected.</b> Jackson's streaming parser: twice as slow at finding the same parts (the
 * ingest benchmark measures both), for it decodes every name and value it passes. A tree of values
 * costs several times the memory of the bytes, and would have to be printed again. Protobuf from
 * the apiserver is smaller and faster, but custom resources have none, and subscribers are promised
 * JSON.
 */
@NullMarked
package io.watchgate.json;

import org.jspecify.annotations.NullMarked;
