package io.watchgate.balance;

import io.watchgate.cache.Jitter;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says how many streams this replica has, and sends those on that are too many. */
public final class Balancer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Balancer.class);

  /** For so many rounds without a word a replica counts: two may fail. */
  private static final int SILENT_ROUNDS = 3;

  /** After so many it is not there any more. */
  private static final int FORGOTTEN_ROUNDS = 60;

  /** What is shed in vain is tried half as often each time, down to every so many rounds. */
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
   * What it had a round before, and two rounds before, and when that was. What has come since may
   * have come from one who is gone, or be of what others have got as well and have not said yet.
   */
  private int once;

  private int twice;
  private long onceAt;
  private long twiceAt;

  /** When it last sent streams away, and how many; 0: it has not. */
  private long shedAt;

  private int shed;

  /** How many there were before. */
  private int before;

  /** Rounds until it may again, and how many that will be if that is in vain, too. */
  private int pause;

  private int nextPause = 1;

  /** Of this replica. */
  public interface Streams {
    /** How many there are; negative: it does not serve yet. */
    int count();

    /**
     * Sends so many to other replicas, if so many can go, and if that does not take too long.
     *
     * @param age that they have at least
     * @return how many went
     */
    int shed(int count, Duration age, Duration within) throws InterruptedException;

    /** From now on refuses these. */
    void lead(RedirectQuota lead);
  }

  /**
   * Does nothing yet.
   *
   * @param replica this one's name on the board
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

  /** Goes on until it is closed. */
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

  /** Knows nothing of the others, and so leaves streams where they are. */
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

  /** Of two rounds before, if all have spoken since: who has not may be gone. */
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
      return; // where they went is not known yet
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
    // Half of it: others do the same, and what they knew of where it goes is a round old.
    int half = (share.surplus() + 1) / 2;
    shed = streams.shed(half, pace.settled(), pace.every().dividedBy(2));
    shedAt = time.nanoTime();
    if (shed > 0) {
      log.info("{} of {} streams were sent to other replicas, of {} in all", shed, own, replicas);
    }
  }

  /** What those who are gone have said is of no use; whether it can be removed is not, either. */
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
   * Through an address that stands for all replicas a connection keeps to one of them, and its
   * streams come back to where they were.
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

  /** How many are there, as far as this one knows; at least itself. From any thread. */
  public int replicas() {
    return replicas;
  }

  /** Ends it; what this one said is taken off the board by whoever owns that. */
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
