package io.watchgate.fanout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batcher of the streams of one cache that must catch up: replays history for all of them in one
 * pass. A thousand clients that reconnect together cost one reading of the changes they missed.
 * Short replays run at once on the calling thread, which is the router's; the others run on the
 * replay thread, which all types and the scans share. Thread-safe.
 */
final class ReplayBatcher {
  private static final Logger log = LoggerFactory.getLogger(ReplayBatcher.class);

  private final Executor pool;
  private final ScheduledExecutorService timer;
  private List<Replay.Request> waiting = new ArrayList<>();

  /**
   * @param timer only submits tasks to {@code pool}
   */
  ReplayBatcher(Executor pool, ScheduledExecutorService timer) {
    this.pool = pool;
    this.timer = timer;
  }

  /** Replays the few changes of a short lag at once, others with the next batch. */
  void add(Replay.Request request) {
    if (isShort(request)) {
      run(List.of(request));
      return;
    }
    synchronized (this) {
      waiting.add(request);
      if (waiting.size() > 1) {
        return;
      }
    }
    var _ =
        timer.schedule(
            () -> pool.execute(this::runBatch),
            ReplaySettings.DEFAULTS.collectDelay().toNanos(),
            TimeUnit.NANOSECONDS);
  }

  private static boolean isShort(Replay.Request request) {
    long inline = ReplaySettings.DEFAULTS.maxInlineEvents();
    return request.until().events() - request.base().events() <= inline
        && request.until().number() - request.base().number() <= 8 * inline;
  }

  private void runBatch() {
    List<Replay.Request> requests;
    synchronized (this) {
      requests = waiting;
      waiting = new ArrayList<>();
    }
    run(requests);
  }

  private static void run(List<Replay.Request> requests) {
    Replay replay = new Replay(requests);
    try {
      replay.run();
    } catch (RuntimeException e) {
      log.error("a replay for {} streams failed", requests.size(), e);
      replay.fail();
    }
  }
}
