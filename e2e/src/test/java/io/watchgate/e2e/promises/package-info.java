/**
 * The promises of {@code watch.proto}, judged while everything around the gateway breaks: {@link
 * io.watchgate.check.run.CheckRun} writes, listens and judges, {@link
 * io.watchgate.e2e.promises.Adversary} breaks things, one at a time and at random.
 */
@NullMarked
package io.watchgate.e2e.promises;

import org.jspecify.annotations.NullMarked;
