/**
 * Encoding of what streams are sent: events, positions and the tokens that clients resume with.
 *
 * <p><b>Projections.</b> A projection is the part of an object that is sent. A body consists of
 * slices of the cache's bytes ({@link io.watchgate.encode.ByteSlices}). A view omits slices, a
 * DELETED event replaces the version, and pointers select parts, which keep their paths. With PATCH
 * a MODIFIED event carries the difference of the two bodies ({@code ChangePatch}) if it is smaller
 * than half of the new body; all other events are unchanged. A patch is only for clients that have
 * the body before: never after an omitted body, and never across a gap.
 *
 * <p><b>Wire formats.</b> Everything that a stream is sent is encoded by the {@link
 * io.watchgate.encode.WireFormat} of its feed: as responses of gRPC, which server-sent events carry
 * as well, or as the frames of a Kubernetes watch, which package {@code http} adds. Streams of all
 * formats share routers, caches, events of equal encoders, and every bound.
 *
 * <p><b>Tokens.</b> A token has the position of a stream and hashes of its cluster, type and
 * selection ({@code ResumeTokenFormat}), so any replica can check it.
 *
 * <p>All values are immutable and thread-safe, except {@link io.watchgate.encode.ChangeEncoder},
 * which one router uses.
 */
@NullMarked
package io.watchgate.encode;

import org.jspecify.annotations.NullMarked;
