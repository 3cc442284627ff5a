/**
 * Admission of calls: what a new stream, list or answer needs before it may begin, and its refusal
 * while the gateway has no room for it. The package knows no transport; gRPC, browsers and the
 * Kubernetes API share its limits.
 *
 * <ul>
 *   <li>{@link io.watchgate.admission.GatewayStreamLimiter}: a slot for each stream, in total and
 *       by client address.
 *   <li>{@link io.watchgate.admission.StreamAdmission}: refuses while the heap is short, and while
 *       the gateway shuts down.
 *   <li>{@link io.watchgate.admission.PendingResponseBytes}: memory of responses that clients have
 *       not read.
 *   <li>{@link io.watchgate.admission.DrainPace}: times at which streams leave at shutdown.
 * </ul>
 *
 * <p><b>Threads.</b> All classes are thread-safe. Only the room for building a response is waited
 * for, on the virtual thread of its call; all other refusals are immediate.
 *
 * <p><b>Bounds.</b> The limits themselves. Clients are counted only while they have a slot or
 * bytes.
 */
@NullMarked
package io.watchgate.admission;

import org.jspecify.annotations.NullMarked;
