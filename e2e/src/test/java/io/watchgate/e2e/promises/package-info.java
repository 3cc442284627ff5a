/**
 * Judged tests of the promises of {@code watch.proto} under faults. {@link
 * io.watchgate.check.run.CheckRun} writes, subscribes and judges. {@link
 * io.watchgate.e2e.promises.FaultInjector} inflicts faults: {@link
 * io.watchgate.e2e.promises.FaultsTest} each {@link io.watchgate.e2e.promises.Fault} by itself,
 * {@link io.watchgate.e2e.promises.PromisesTest} all of them at random. The gateway is a separate
 * process, which can be killed and stopped. {@link io.watchgate.e2e.promises.MutationsTest} inserts
 * one defect at a time into the gateway and expects the judge to detect it. Informers of the SDK
 * take part in each trial ({@link io.watchgate.e2e.promises.JudgedInformers}), and are judged by
 * the same truth.
 */
@NullMarked
package io.watchgate.e2e.promises;

import org.jspecify.annotations.NullMarked;
