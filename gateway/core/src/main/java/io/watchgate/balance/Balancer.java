package io.watchgate.balance;

import io.watchgate.cache.Jitter;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of this replica's stream count, which also sheds surplus streams to other replicas.
 * Pace and tolerance are in {@link BalanceSettings}.
 */
public final class Balancer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Balancer.class);

  private final LoadRegistry registry;
  private final Streams streams;
  private final TimeSource time;
  private final BalanceSettings.Pace pace;
  private final Peers peers;
  private volatile int replicas = 1;
  private volatile @Nullable Thread thread;
  private boolean hasWarned;

  /**
   * Stream counts one round and two rounds ago, and their times. Streams that came since may be
   * from a replica that has died, or other replicas may have received as many streams and not have
   * published their new counts yet.
   */
  private int previousCount;

  private int earlierCount;
  private long previousAt;
  private long earlierAt;

  /** Time of the last shedding, and number of streams that it sent away; 0: none. */
  private long lastShedAt;

  private int lastShed;

  /** Number of streams before the last shedding. */
  private int countBeforeShed;

  /** Number of rounds until streams may be shed again. */
  private int pause;

  /** Pause after the next shedding that is in vain, in rounds; doubles each time. */
  private int nextPause = 1;

  /** Streams of this replica. */
  public interface Streams {
    /** Returns the number of streams; negative: the replica does not serve yet. */
    int count();

    /**
     * Sends up to {@code count} streams to other replicas, if they can be resumed there, within a
     * limit of time.
     *
     * @param age minimum age of the streams
     * @return number of streams that were sent away
     */
    int shed(int count, Duration age, Duration within) throws InterruptedException;

    /** Sets which clients are redirected from now on. */
    void setRedirectQuota(RedirectQuota quota);
  }

  /**
   * Creates a balancer, which is not started yet.
   *
   * @param replica this replica's name in the registry
   */
  public Balancer(
      LoadRegistry registry,
      String replica,
      Streams streams,
      TimeSource time,
      BalanceSettings.Pace pace) {
    this.registry = registry;
    this.streams = streams;
    this.time = time;
    this.pace = pace;
    this.peers =
        new Peers(
            replica,
            pace.interval().multipliedBy(BalanceSettings.Pace.SILENT_ROUNDS),
            pace.interval().multipliedBy(BalanceSettings.Pace.REMOVAL_ROUNDS));
  }

  /** Starts the thread, which runs until {@link #close}. */
  public void start() {
    thread = Thread.ofVirtual().name("balancer").start(this::run);
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(Jitter.jittered(pace.interval(), ThreadLocalRandom.current()));
        runRound();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  void runRound() throws InterruptedException {
    int own = streams.count();
    if (own < 0) {
      reset();
      return;
    }
    long now;
    try {
      registry.publish(own);
      now = time.nanoTime();
      peers.update(registry.entries(), now);
    } catch (LoadRegistryException e) {
      reset();
      warnOnce(e);
      return;
    }
    replicas = peers.streamCounts(now).size() + 1;
    BalanceDecision decision = decide(own, now);
    streams.setRedirectQuota(decision.redirect());
    balance(decision, now, own);
    removeExpired(now);
    if (hasWarned) {
      hasWarned = false;
      log.info("replica stream counts are available again");
    }
  }

  /**
   * Forgets the previous counts, since those of others are unknown, and so sheds and redirects
   * nothing.
   */
  private void reset() {
    replicas = 1;
    previousCount = 0;
    earlierCount = 0;
    streams.setRedirectQuota(RedirectQuota.NONE);
  }

  private void warnOnce(LoadRegistryException e) {
    if (!hasWarned && !Thread.currentThread().isInterrupted()) {
      hasWarned = true;
      log.warn("streams are not balanced: {}; trying again", e.getMessage());
    }
  }

  /**
   * Decides by the lowest count of the last three rounds, if all replicas have published since two
   * rounds ago: a replica that has not may have died.
   */
  private BalanceDecision decide(int own, long now) {
    int least = Math.min(own, Math.min(previousCount, earlierCount));
    boolean known = peers.haveAllPublishedSince(earlierAt, now);
    earlierCount = previousCount;
    earlierAt = previousAt;
    previousCount = own;
    previousAt = now;
    return known ? BalanceDecision.of(least, peers.streamCounts(now)) : BalanceDecision.KEEP_ALL;
  }

  private void balance(BalanceDecision decision, long now, int own) throws InterruptedException {
    if (lastShed > 0 && !peers.haveAllPublishedSince(lastShedAt, now)) {
      return; // the new counts of the other replicas are not known yet
    }
    if (decision.surplus() == 0) {
      lastShed = 0;
      pause = 0;
      nextPause = 1;
      return;
    }
    if (lastShed > 0) {
      evaluateLastShed(own);
    }
    if (pause > 0) {
      pause--;
      return;
    }
    countBeforeShed = own;
    // Half of it: others do the same, and the counts are one round old.
    int half = (decision.surplus() + 1) / 2;
    lastShed = streams.shed(half, pace.minStreamAge(), pace.interval().dividedBy(2));
    lastShedAt = time.nanoTime();
    if (lastShed > 0) {
      log.info(
          "sent {} of {} streams to other replicas; {} replicas in all", lastShed, own, replicas);
    }
  }

  /**
   * Removes the entries of dead replicas. They have no effect, and neither has a failure to remove
   * them.
   */
  private void removeExpired(long now) {
    try {
      for (String gone : peers.expired(now)) {
        registry.remove(gone);
      }
    } catch (LoadRegistryException e) {
      log.debug("a replica that is gone cannot be removed", e);
    }
  }

  /**
   * Doubles the pause if the last shedding was in vain. Behind one address for all replicas, a
   * connection stays with one replica, and its streams return to where they were.
   */
  private void evaluateLastShed(int own) {
    if (own > countBeforeShed - lastShed / 2) {
      pause = nextPause;
      nextPause = Math.min(2 * nextPause, BalanceSettings.Pace.MAX_PAUSE);
    } else {
      nextPause = 1;
    }
    lastShed = 0;
  }

  /** Returns the number of replicas that this one knows, at least 1 for itself. From any thread. */
  public int replicas() {
    return replicas;
  }

  /**
   * Stops the balancer. This replica's entry is removed from the registry by the registry's owner.
   */
  @Override
  public void close() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
      try {
        running.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
