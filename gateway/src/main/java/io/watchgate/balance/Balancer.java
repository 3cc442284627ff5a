package io.watchgate.balance;

import io.watchgate.cache.Jitter;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publisher of this replica's stream count, which also sheds surplus streams to other replicas. */
public final class Balancer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Balancer.class);

  /**
   * Number of rounds without an update after which a replica does not count: two updates may fail.
   */
  private static final int SILENT_ROUNDS = 3;

  /** Number of rounds without an update after which a replica is removed from the registry. */
  private static final int FORGOTTEN_ROUNDS = 60;

  /**
   * Maximum number of rounds between attempts. Each attempt in vain doubles the pause, up to this
   * limit.
   */
  private static final int RAREST = 64;

  private final LoadRegistry board;
  private final Streams streams;
  private final TimeSource time;
  private final BalanceSettings.Pace pace;
  private final Peers peers;
  private volatile int replicas = 1;
  private volatile @Nullable Thread thread;
  private boolean troubled;

  /**
   * Stream counts of one and of two rounds before, and their times. Later streams may have come
   * from a replica that has died, or others may have received as many without having published it
   * yet.
   */
  private int once;

  private int twice;
  private long onceAt;
  private long twiceAt;

  /** Time of the last shedding, and number of streams that it sent away; 0: none. */
  private long shedAt;

  private int shed;

  /** Number of streams before the last shedding. */
  private int before;

  /** Rounds until the next attempt, and the pause after it if it is in vain, too. */
  private int pause;

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
    void lead(RedirectQuota lead);
  }

  /**
   * Creates a balancer, which is not started yet.
   *
   * @param replica this replica's name in the registry
   */
  public Balancer(
      LoadRegistry board,
      String replica,
      Streams streams,
      TimeSource time,
      BalanceSettings.Pace pace) {
    this.board = board;
    this.streams = streams;
    this.time = time;
    this.pace = pace;
    this.peers =
        new Peers(
            replica,
            pace.every().multipliedBy(SILENT_ROUNDS),
            pace.every().multipliedBy(FORGOTTEN_ROUNDS));
  }

  /** Starts the thread, which runs until {@link #close}. */
  public void start() {
    thread = Thread.ofVirtual().name("balancer").start(this::run);
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(Jitter.around(pace.every(), ThreadLocalRandom.current()));
        round();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  void round() throws InterruptedException {
    int own = streams.count();
    if (own < 0) {
      rest();
      return;
    }
    long now;
    try {
      board.tell(own);
      now = time.nanoTime();
      peers.hear(board.entries(), now);
    } catch (LoadRegistryException e) {
      rest();
      trouble(e);
      return;
    }
    replicas = peers.streams(now).size() + 1;
    BalanceDecision share = share(own, now);
    streams.lead(share.lead());
    balance(share, now, own);
    clean(now);
    if (troubled) {
      troubled = false;
      log.info("the replicas tell each other again how many streams they have");
    }
  }

  /**
   * Forgets the previous counts, since those of others are unknown, and so sheds and redirects
   * nothing.
   */
  private void rest() {
    replicas = 1;
    once = 0;
    twice = 0;
    streams.lead(RedirectQuota.NOWHERE);
  }

  private void trouble(LoadRegistryException e) {
    if (!troubled && !Thread.currentThread().isInterrupted()) {
      troubled = true;
      log.warn("streams are not balanced: {}; trying again", e.getMessage());
    }
  }

  /**
   * Decides by the lowest count of the last three rounds, if all replicas have published since two
   * rounds ago: a replica that has not may have died.
   */
  private BalanceDecision share(int own, long now) {
    int least = Math.min(own, Math.min(once, twice));
    boolean known = peers.haveSpokenSince(twiceAt, now);
    twice = once;
    twiceAt = onceAt;
    once = own;
    onceAt = now;
    return known ? BalanceDecision.of(least, peers.streams(now)) : BalanceDecision.ENOUGH;
  }

  private void balance(BalanceDecision share, long now, int own) throws InterruptedException {
    if (shed > 0 && !peers.haveSpokenSince(shedAt, now)) {
      return; // the new counts of the other replicas are not known yet
    }
    if (share.surplus() == 0) {
      shed = 0;
      pause = 0;
      nextPause = 1;
      return;
    }
    if (shed > 0) {
      look(own);
    }
    if (pause > 0) {
      pause--;
      return;
    }
    before = own;
    // Half of it: others do the same, and the counts are one round old.
    int half = (share.surplus() + 1) / 2;
    shed = streams.shed(half, pace.settled(), pace.every().dividedBy(2));
    shedAt = time.nanoTime();
    if (shed > 0) {
      log.info("{} of {} streams were sent to other replicas, of {} in all", shed, own, replicas);
    }
  }

  /**
   * Removes the entries of dead replicas. They have no effect, and neither has a failure to remove
   * them.
   */
  private void clean(long now) {
    try {
      for (String gone : peers.gone(now)) {
        board.remove(gone);
      }
    } catch (LoadRegistryException e) {
      log.debug("a replica that is gone cannot be removed", e);
    }
  }

  /**
   * Doubles the pause if the last shedding was in vain. Behind one address for all replicas, a
   * connection stays with one replica, and its streams return to where they were.
   */
  private void look(int own) {
    if (own > before - shed / 2) {
      pause = nextPause;
      nextPause = Math.min(2 * nextPause, RAREST);
    } else {
      nextPause = 1;
    }
    shed = 0;
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
