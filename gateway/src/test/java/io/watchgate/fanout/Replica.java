package io.watchgate.fanout;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.VirtualTime;
import java.util.List;
import java.util.Random;

/** Gateway of the model: a cache that follows the truth, and an event loop. */
final class Replica {
  final TruthCache known;
  final ManualExecutor thread = new ManualExecutor();
  final ManualExecutor routing = new ManualExecutor();
  final ManualExecutor replaying = new ManualExecutor();
  final StreamLoop owner;
  final RouterRegistry routers;
  private final Random random;

  Replica(int number, Truth truth, CacheSettings settings, VirtualTime time, Random random) {
    this.random = random;
    this.known = new TruthCache(truth, settings, time.source(), random);
    this.owner = new StreamLoop(number, thread, time, time.source(), FanoutMetrics.NONE);
    this.routers =
        new RouterRegistry(
            routing,
            replaying,
            time,
            new FanoutSettings.Limits(
                1_000,
                random.nextBoolean() ? 40_000 : 1 << 30,
                1 + random.nextInt(3),
                random.nextBoolean() ? 5_000 : 1 << 30));
  }

  /** Runs one task of one of its threads. */
  void runOne() {
    List<ManualExecutor> threads = List.of(thread, routing, replaying);
    threads.get(random.nextInt(threads.size())).runOne();
  }

  /** Runs all tasks of its threads. */
  void runAll() {
    while (thread.waiting() + routing.waiting() + replaying.waiting() > 0) {
      routing.runAll();
      replaying.runAll();
      thread.runAll();
    }
  }
}
