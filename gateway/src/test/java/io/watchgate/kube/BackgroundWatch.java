package io.watchgate.kube;

import io.watchgate.cache.Upstream.WatchOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Watch on a thread of its own. */
final class BackgroundWatch {
  private BackgroundWatch() {}

  static CompletableFuture<WatchOutcome> start(Supplier<WatchOutcome> watch) {
    return CompletableFuture.supplyAsync(watch, Thread::startVirtualThread);
  }
}
