package io.watchgate.fanout;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.VirtualTime;
import java.time.Duration;

/** Cache with streams, whose threads and clock are driven by the test. */
final class Stage {
  final VirtualTime time = new VirtualTime();
  final ManualExecutor owning = new ManualExecutor();
  final ManualExecutor routing = new ManualExecutor();
  final ManualExecutor replaying = new ManualExecutor();
  final StreamLoop owner = new StreamLoop(0, owning, time, time.source(), FanoutMetrics.NONE);
  final RouterRegistry routers;
  final CacheWriter writer;

  Stage() {
    this(CacheWriter.settings());
  }

  Stage(CacheSettings settings) {
    this(settings, FanoutSettings.DEFAULTS.limits());
  }

  Stage(CacheSettings settings, FanoutSettings.Limits limits) {
    this(settings, limits, new HeapBudget(Long.MAX_VALUE));
  }

  Stage(CacheSettings settings, FanoutSettings.Limits limits, HeapBudget heap) {
    writer = new CacheWriter(settings, heap, time.source());
    routers = new RouterRegistry(routing, replaying, time, limits);
  }

  /**
   * Returns a stage whose history has room for some changes of 1 KiB, and as much room for pinned
   * revisions.
   */
  static Stage ofShortHistory() {
    return new Stage(
        CacheWriter.settings().withHistory(Duration.ofHours(1), 20_000).withLaggardBytes(20_000));
  }

  /** Returns a stream that reads everything, after it was run. */
  KeptOutlet subscribe(Asking asking) {
    KeptOutlet outlet = open(asking, new KeptOutlet());
    run();
    return outlet;
  }

  /** Returns a stream that was not run yet. */
  KeptOutlet open(Asking asking, KeptOutlet outlet) {
    outlet.subscription = opened(asking, outlet);
    return outlet;
  }

  /** Opens a stream on any transport. */
  Subscription opened(Asking asking, ResponseSink outlet) {
    try {
      Subscription subscription =
          new Subscription(
              new Subscription.Environment(
                  owner,
                  owner.arrival(),
                  routers,
                  routers.shared(),
                  FanoutSettings.DEFAULTS,
                  time.source(),
                  FanoutMetrics.NONE),
              writer.lease(() -> {}),
              asking.request(),
              outlet);
      subscription.open();
      return subscription;
    } catch (ApiException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs all tasks of its threads. */
  void run() {
    while (routing.waiting() + replaying.waiting() + owning.waiting() > 0) {
      routing.runAll();
      replaying.runAll();
      owning.runAll();
    }
  }

  /** Advances the time in small steps and runs the tasks that become due. */
  void pass(Duration duration) {
    Duration step = Duration.ofMillis(10);
    for (Duration left = duration; left.isPositive(); left = left.minus(step)) {
      time.advance(step);
      run();
    }
  }
}
