/**
 * {@code watchgate check}: whether a gateway keeps the promises of {@code watch.proto}.
 *
 * <p><b>Idea.</b> What really happened ({@link io.watchgate.check.Truth}, from a watch of the
 * apiserver itself) and what each stream heard ({@link io.watchgate.check.Session}) are recorded
 * and then judged by {@link io.watchgate.check.Validator}, which knows nothing but these records:
 * no gateway, no cache, not even the gateway's classes for selectors or versions, since a judge has
 * to be right where the judged is wrong. Each {@link io.watchgate.check.Promise} has a check of its
 * own that can be read beside its sentence. They overlap on purpose: a change that is lost breaks
 * Complete where it was lost, and Bookmarkable from there on.
 *
 * <p>A stream is cut into passages ({@code Segment}), each from one position to the next, as a
 * client would apply it. {@code FilteredTruth} is the truth as a selection sees it; {@code
 * ClientState} is what a subscriber holds beside what it should.
 *
 * <p><b>Threads.</b> The validator has none, and everything that it is given is immutable.
 *
 * <p><b>Bounds.</b> Records are kept in memory until they are judged; objects as digests, so that a
 * change needs some hundred bytes, whatever the size of the object. Of what is broken the first ten
 * of each check and session are kept, and all are counted.
 *
 * <p><b>Rejected.</b> To judge while streams run: the truth comes later than what it has to judge,
 * or earlier, and whoever waits for it has to keep the same records. A watch of the apiserver for
 * each selection: it would be decided by the same apiserver's selector, but a thousand subscribers
 * would need a thousand of them.
 */
@NullMarked
package io.watchgate.check;

import org.jspecify.annotations.NullMarked;
