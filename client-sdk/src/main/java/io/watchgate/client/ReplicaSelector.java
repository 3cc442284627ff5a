package io.watchgate.client;

import io.grpc.ManagedChannel;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a gateway: streams go round them, and pass over those that do not answer, are
 * about to end, have too many streams, or said that they are behind, as long as there are others.
 * Where all are passed over, each is tried in its turn. Each client begins at another one, else all
 * would be at the first. Thread-safe; looking up a name may block whoever opens a stream.
 */
final class ReplicaSelector {
  /** Time for which a replica that ends, or its address, may still be there. */
  static final Duration DRAINING = Duration.ofSeconds(30);

  /** Time that a replica with too many streams may need to get rid of them. */
  static final Duration REBALANCING = Duration.ofSeconds(10);

  /** Time that a replica which is behind, or loads, may need to be up to date. */
  static final Duration BEHIND = Duration.ofSeconds(5);

  /** Time for which the addresses of a name are not looked up again. */
  static final Duration LOOKED_UP = Duration.ofSeconds(10);

  /** At random within it, and twice as long each time: not all who lost one try it together. */
  private static final Duration FIRST_FAILURE = Duration.ofSeconds(1);

  /** Reasons that concern one replica, not the request: another one may be better off. */
  private static final Set<String> ITS_OWN =
      Set.of("STARTING", "BEHIND", "TOO_STALE", "UPSTREAM_UNAVAILABLE", "MEMORY", "QUOTA");

  private final ReplicaResolver directory;
  private final Function<HostPort, ManagedChannel> connect;
  private final Scheduler timers;
  private final RandomGenerator random;
  private final List<Replica> replicas = new ArrayList<>();
  private long lookedUp;
  private int next;
  private long tries;
  private boolean closed;

  /** True once a gateway has answered. */
  private boolean answered;

  /**
   * @param connect makes a channel; it is closed here
   */
  ReplicaSelector(
      ReplicaResolver directory,
      Function<HostPort, ManagedChannel> connect,
      Scheduler timers,
      RandomGenerator random) {
    this.directory = directory;
    this.connect = connect;
    this.timers = timers;
    this.random = random;
  }

  /**
   * The replica for the next stream.
   *
   * @param left not there if there is another; null: anywhere
   * @throws UnknownHostException if no name leads anywhere, and never did
   */
  Replica choose(@Nullable Replica left) throws UnknownHostException {
    lookUp();
    synchronized (this) {
      Replica chosen = preferred(left);
      chosen.tried = ++tries;
      return chosen;
    }
  }

  private Replica preferred(@Nullable Replica left) {
    if (replicas.stream().anyMatch(replica -> replica != left && isGood(replica))) {
      for (int i = 0; i < replicas.size(); i++) {
        Replica candidate = replicas.get((next + i) % replicas.size());
        if (candidate != left && !isAside(candidate)) { // perhaps one that may be back
          next = (next + i + 1) % replicas.size();
          return candidate;
        }
      }
    }
    if (left != null && replicas.contains(left) && isGood(left)) {
      return left;
    }
    // All that is known of them may be out of date by now: they are tried in turns.
    return replicas.stream()
        .filter(replica -> replica != left || replicas.size() == 1)
        .min(Comparator.comparingLong(replica -> replica.tried))
        .orElseThrow(() -> new IllegalStateException("the client is closed"));
  }

  /** True if nothing speaks against the replica. */
  synchronized boolean isGood(Replica replica) {
    return !closed && replicas.contains(replica) && replica.failures == 0 && !isAside(replica);
  }

  /** True if there is another replica that nothing speaks against. */
  synchronized boolean hasOther(Replica replica) {
    return replicas.stream().anyMatch(other -> other != replica && isGood(other));
  }

  private boolean isAside(Replica replica) {
    return timers.nanoTime() - replica.notBefore < 0;
  }

  private void lookUp() throws UnknownHostException {
    synchronized (this) {
      if (!replicas.isEmpty() && timers.nanoTime() - lookedUp < LOOKED_UP.toNanos()) {
        return;
      }
      lookedUp = timers.nanoTime(); // whoever comes meanwhile takes what there is
    }
    List<HostPort> targets;
    try {
      targets = directory.targets();
    } catch (UnknownHostException e) {
      synchronized (this) {
        if (replicas.isEmpty()) {
          throw e;
        }
      }
      LoggerFactory.getLogger(ReplicaSelector.class)
          .debug("A name cannot be looked up; the replicas that were known remain", e);
      return;
    }
    take(targets);
  }

  /** Streams to replicas that are gone go on until they end by themselves. */
  private synchronized void take(List<HostPort> targets) {
    boolean first = replicas.isEmpty();
    replicas.removeIf(
        known -> {
          boolean gone = !targets.contains(known.target());
          if (gone) {
            known.channel().shutdown();
          }
          return gone;
        });
    RuntimeException failure = null;
    for (HostPort target : targets) {
      if (!closed && replicas.stream().noneMatch(known -> known.target().equals(target))) {
        ManagedChannel channel;
        try {
          channel = connect.apply(target);
        } catch (RuntimeException e) { // of this replica; it is tried again with the next look-up
          LoggerFactory.getLogger(ReplicaSelector.class)
              .warn("There is no channel to {}", target, e);
          failure = e;
          continue;
        }
        Backoff backoff = Backoff.doubling(random, FIRST_FAILURE);
        // Anywhere: where several are passed over, the one behind them has their share, and with
        // the order of the names that would be the same one for all clients.
        replicas.add(
            random.nextInt(replicas.size() + 1),
            new Replica(target, channel, backoff, timers.nanoTime()));
      }
    }
    if (replicas.isEmpty() && failure != null) {
      throw failure;
    }
    if (first && !replicas.isEmpty()) {
      next = random.nextInt(replicas.size());
    }
  }

  /** It admitted a stream. */
  synchronized void works(Replica replica) {
    answered = true;
    replica.failures = 0;
    replica.backoff().reset();
    replica.notBefore = timers.nanoTime();
  }

  /** A gateway answered a call. */
  synchronized void answered() {
    answered = true;
  }

  /** True once a gateway has answered, with a stream, an answer to a call or its own error. */
  synchronized boolean hasAnswered() {
    return answered;
  }

  /**
   * A stream there, or the attempt to open one, came to this. Others are preferred for a while if
   * it tells something of the replica.
   *
   * @return true if there is another replica that may do better
   */
  synchronized boolean interrupted(Replica replica, Interruption cause) {
    answered |= cause instanceof Interruption.Failed failed && failed.error().isFromGateway();
    Duration aside = aside(replica, cause);
    if (!aside.isZero()) {
      replica.notBefore = timers.nanoTime() + aside.toNanos();
    }
    return replicas.stream().anyMatch(other -> other != replica && !isAside(other));
  }

  private Duration aside(Replica replica, Interruption cause) {
    if (cause instanceof Interruption.GoingAway goingAway) {
      return switch (goingAway.reason()) {
        case GOING_AWAY_REASON_DRAINING -> DRAINING;
        case GOING_AWAY_REASON_REBALANCING -> REBALANCING;
        case GOING_AWAY_REASON_STREAM_AGE,
            GOING_AWAY_REASON_REAUTHENTICATE,
            GOING_AWAY_REASON_UNSPECIFIED,
            UNRECOGNIZED ->
            Duration.ZERO;
      };
    }
    if (cause instanceof Interruption.Failed failed && failed.error().isFromGateway()) {
      String reason = failed.error().reason();
      return switch (reason) {
        case "DRAINING" -> DRAINING;
        case "REBALANCING" -> REBALANCING;
        default -> ITS_OWN.contains(reason) ? BEHIND : Duration.ZERO;
      };
    }
    return cause instanceof Interruption.GroupTooLarge ? Duration.ZERO : unreached(replica);
  }

  /**
   * All streams that were there end with the connection: one failure, not as many as streams. So
   * while others come first already, nothing is added to it.
   */
  private Duration unreached(Replica replica) {
    replica.failures++;
    return isAside(replica) ? Duration.ZERO : replica.backoff().next(Duration.ZERO);
  }

  synchronized void close() {
    closed = true;
    replicas.forEach(replica -> replica.channel().shutdownNow());
  }

  /** Waits until the connections of closed replicas have ended. */
  void awaitEnd(long deadlineNanos) throws InterruptedException {
    List<Replica> all;
    synchronized (this) {
      all = List.copyOf(replicas);
    }
    for (Replica replica : all) {
      if (!replica
          .channel()
          .awaitTermination(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
    }
  }
}
