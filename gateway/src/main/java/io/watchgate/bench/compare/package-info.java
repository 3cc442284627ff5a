/**
 * {@code watchgate compare}: two sides of a row of the performance table, in turns, and the ratio
 * of what they cost.
 *
 * <p>A row ({@link io.watchgate.bench.compare.Scenarios}) is data: which servers, under which load
 * of {@code watchgate bench}, and what their ratio may be at most. Each measurement has a sandbox
 * (or, for the row that watches an apiserver itself, a kube-apiserver), a server and a load
 * generator of its own, each a fresh process with the options of Java that this one has, so that
 * neither side profits from what ran before. Sides take turns (ABAB), since a machine drifts; of
 * the ratios of the pairs the median counts. A side that no goal depends on is measured in three of
 * the pairs: naive ({@code Contender.NAIVE}) only tells whether a row tells anything apart at all.
 * A pair during which other processes had too much of the machine is void, and repeated twice at
 * most.
 *
 * <p><b>Threads.</b> The caller's; what processes print is read by a virtual thread each.
 *
 * <p><b>Rejected.</b> Both sides at once: they would measure each other.
 */
@NullMarked
package io.watchgate.bench.compare;

import org.jspecify.annotations.NullMarked;
