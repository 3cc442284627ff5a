/**
 * {@code watchgate check}: validation of the promises that a gateway makes in {@code watch.proto}.
 *
 * <p><b>Idea.</b> The actual changes ({@link io.watchgate.check.Truth}, from a watch of the
 * apiserver itself) and the messages of each stream ({@link io.watchgate.check.Session}) are
 * recorded. Then {@link io.watchgate.check.Validator} judges them. It depends on these records
 * only: not on a gateway or a cache, and not on the gateway's classes for selectors or versions.
 * The reason is that a judge must be right where the gateway is wrong. Each {@link
 * io.watchgate.check.Promise} has a check of its own that can be read beside its sentence. The
 * checks overlap on purpose: a lost change breaks Complete where it was lost, and Bookmarkable from
 * there on.
 *
 * <p>A stream is split into segments ({@code Segment}), each from one position to the next, as a
 * client would apply it. {@code FilteredTruth} is the truth as seen by a selection. {@code
 * ClientState} is the actual and expected state of a subscriber.
 *
 * <p><b>Threads.</b> The validator has no threads, and all its input is immutable.
 *
 * <p><b>Bounds.</b> Records are kept in memory until they are judged. Objects are kept as digests,
 * so that a change takes a few hundred bytes for any size of the object. The first ten violations
 * of each check and session are kept, and all are counted.
 *
 * <p><b>Rejected.</b> Judging while streams run: the truth arrives before or after the messages
 * that it has to judge, so the same records would have to be kept until then. A watch of the
 * apiserver for each selection: the selection would be evaluated by the apiserver itself, but a
 * thousand subscribers would need a thousand watches.
 */
@NullMarked
package io.watchgate.check;

import org.jspecify.annotations.NullMarked;
