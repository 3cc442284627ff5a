/**
 * The promises of {@code watch.proto}, judged while everything around the gateway breaks: {@link
 * io.watchgate.check.run.CheckRun} writes, listens and judges, {@link
 * io.watchgate.e2e.promises.Adversary} breaks things, {@link io.watchgate.e2e.promises.FaultsTest}
 * each {@link io.watchgate.e2e.promises.Fault} by itself, {@link
 * io.watchgate.e2e.promises.PromisesTest} all of them at random. The gateway is a process of its
 * own, which can be killed and stopped; {@link io.watchgate.e2e.promises.MutationsTest} breaks the
 * gateway itself, in one place at a time, and expects the judge to notice. Informers of the SDK
 * take part in each trial ({@link io.watchgate.e2e.promises.Witnesses}), and are judged by the same
 * truth.
 */
@NullMarked
package io.watchgate.e2e.promises;

import org.jspecify.annotations.NullMarked;
