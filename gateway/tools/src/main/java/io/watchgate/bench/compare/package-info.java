/**
 * {@code watchgate compare}: alternating measurements of the contenders of a scenario, and the
 * ratio of their costs.
 *
 * <p>A scenario ({@link io.watchgate.bench.compare.Scenarios}) is data: the contenders, their load
 * as options of {@code watchgate bench}, and the largest accepted ratios. Each measurement has a
 * sandbox (or a kube-apiserver, in the scenario that watches an apiserver directly), a server and a
 * load generator of its own. Each of them is a new process with the JVM options of this process, so
 * that no contender profits from an earlier measurement. Contenders alternate (ABAB), because the
 * speed of a machine changes over time, and the median of the pairs' ratios counts. A contender
 * without a goal, or far from it, is measured in three pairs: {@code Contender.NAIVE} indicates
 * only whether the scenario discriminates at all, and the floor indicates how much cost could still
 * be saved. A pair is void if other processes used too much of the machine; it is repeated at most
 * twice.
 *
 * <p><b>Threads.</b> Everything runs on the caller's thread, except that a virtual thread per
 * process reads its output.
 *
 * <p><b>Rejected.</b> Measuring both contenders at the same time: they would measure each other.
 */
@NullMarked
package io.watchgate.bench.compare;

import org.jspecify.annotations.NullMarked;
