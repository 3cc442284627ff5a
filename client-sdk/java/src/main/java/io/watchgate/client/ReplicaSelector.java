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
 * Selector of the replica for the next stream: round robin over the gateway's replicas. It skips
 * replicas that do not answer, are about to end, have too many streams or reported that they lag,
 * unless all replicas are skipped. Then each is tried in turn. Each client starts at a random
 * replica, because otherwise all clients would be at the first. Thread-safe; a name lookup may
 * block the thread that opens a stream.
 */
final class ReplicaSelector {
  /** Time for which a replica that shuts down, or its address, may still be visible. */
  static final Duration DRAINING = Duration.ofSeconds(30);

  /** Time that a replica with too many streams may need to move streams away. */
  static final Duration REBALANCING = Duration.ofSeconds(10);

  /** Time that a replica which lags or loads may need to catch up. */
  static final Duration BEHIND = Duration.ofSeconds(5);

  /** Time for which looked-up addresses are cached. */
  static final Duration LOOKUP_CACHE_TIME = Duration.ofSeconds(10);

  /**
   * Upper bound of the first random wait, which doubles with each failure, so that clients that
   * lost a replica do not retry together.
   */
  private static final Duration FIRST_FAILURE = Duration.ofSeconds(1);

  /**
   * Error reasons that concern one replica and not the request, so that another replica may
   * succeed.
   */
  private static final Set<String> REPLICA_REASONS =
      Set.of("STARTING", "BEHIND", "TOO_STALE", "UPSTREAM_UNAVAILABLE", "MEMORY", "QUOTA");

  private final ReplicaResolver resolver;
  private final Function<HostPort, ManagedChannel> connect;
  private final Scheduler timers;
  private final RandomGenerator random;
  private final List<Replica> replicas = new ArrayList<>();
  private long lastLookup;
  private int next;
  private long tries;
  private boolean closed;

  /** True once a gateway has answered. */
  private boolean answered;

  /**
   * @param connect creates a channel; the selector closes the channel
   */
  ReplicaSelector(
      ReplicaResolver resolver,
      Function<HostPort, ManagedChannel> connect,
      Scheduler timers,
      RandomGenerator random) {
    this.resolver = resolver;
    this.connect = connect;
    this.timers = timers;
    this.random = random;
  }

  /**
   * Returns the replica for the next stream.
   *
   * @param avoided replica to avoid if there is another; null: none
   * @throws UnknownHostException if no name resolves, and no name ever did
   */
  Replica choose(@Nullable Replica avoided) throws UnknownHostException {
    lookUp();
    synchronized (this) {
      Replica chosen = preferred(avoided);
      chosen.lastChoice = ++tries;
      return chosen;
    }
  }

  private Replica preferred(@Nullable Replica avoided) {
    if (replicas.stream().anyMatch(replica -> replica != avoided && isPreferred(replica))) {
      for (int i = 0; i < replicas.size(); i++) {
        Replica candidate = replicas.get((next + i) % replicas.size());
        if (candidate != avoided && !isSkipped(candidate)) {
          next = (next + i + 1) % replicas.size();
          return candidate;
        }
      }
    }
    if (avoided != null && replicas.contains(avoided) && isPreferred(avoided)) {
      return avoided;
    }
    // All that is known of the replicas may be out of date, so they are tried in turn.
    return replicas.stream()
        .filter(replica -> replica != avoided || replicas.size() == 1)
        .min(Comparator.comparingLong(replica -> replica.lastChoice))
        .orElseThrow(() -> new IllegalStateException("the client is closed"));
  }

  /**
   * Returns whether the replica is known, has no failure since its last answer, and is not skipped.
   */
  synchronized boolean isPreferred(Replica replica) {
    return !closed && replicas.contains(replica) && replica.failures == 0 && !isSkipped(replica);
  }

  /** Returns whether another replica is preferred; see {@link #isPreferred}. */
  synchronized boolean hasOtherPreferred(Replica replica) {
    return replicas.stream().anyMatch(other -> other != replica && isPreferred(other));
  }

  private boolean isSkipped(Replica replica) {
    return timers.nanoTime() - replica.notBefore < 0;
  }

  private void lookUp() throws UnknownHostException {
    synchronized (this) {
      if (!replicas.isEmpty() && timers.nanoTime() - lastLookup < LOOKUP_CACHE_TIME.toNanos()) {
        return;
      }
      lastLookup = timers.nanoTime(); // other threads use the current replicas during the lookup
    }
    List<HostPort> targets;
    try {
      targets = resolver.targets();
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
    replaceReplicas(targets);
  }

  /** Replaces the replicas. Streams to removed replicas continue until they end by themselves. */
  private synchronized void replaceReplicas(List<HostPort> targets) {
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
        } catch (RuntimeException e) { // of this replica only; retried after the next lookup
          LoggerFactory.getLogger(ReplicaSelector.class)
              .warn("There is no channel to {}", target, e);
          failure = e;
          continue;
        }
        Backoff backoff = new Backoff(random, FIRST_FAILURE);
        // Inserts at a random index. If several replicas are skipped, the replica after them gets
        // their share of streams; in name order that would be the same replica for all clients.
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

  /** Records that the replica admitted a stream. */
  synchronized void recordAdmission(Replica replica) {
    answered = true;
    replica.failures = 0;
    replica.backoff().reset();
    replica.notBefore = timers.nanoTime();
  }

  /**
   * Records that the replica answered a call: it can be reached. If it asked for other replicas to
   * be preferred for a while, they still are.
   */
  synchronized void recordAnswer(Replica replica) {
    answered = true;
    replica.failures = 0;
    replica.backoff().reset();
    if (replica.isUnreachable) {
      replica.isUnreachable = false;
      replica.notBefore = timers.nanoTime();
    }
  }

  /**
   * Returns whether a gateway has answered this client with a stream, a response or an error of its
   * own.
   */
  synchronized boolean hasAnswered() {
    return answered;
  }

  /**
   * Records the interruption of a stream, or of an attempt to open one. If the cause concerns the
   * replica, other replicas are preferred for a while.
   *
   * @return whether there is another replica that may serve the stream
   */
  synchronized boolean recordInterruption(Replica replica, Interruption cause) {
    if (cause instanceof Interruption.Failed failed && failed.error().isFromGateway()) {
      recordAnswer(replica);
    }
    Duration aside = skipDuration(replica, cause);
    if (!aside.isZero()) {
      replica.notBefore = timers.nanoTime() + aside.toNanos();
      replica.isUnreachable = replica.failures > 0;
    }
    return replicas.stream().anyMatch(other -> other != replica && !isSkipped(other));
  }

  private Duration skipDuration(Replica replica, Interruption cause) {
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
        default -> REPLICA_REASONS.contains(reason) ? BEHIND : Duration.ZERO;
      };
    }
    return cause instanceof Interruption.GroupTooLarge
        ? Duration.ZERO
        : unreachableDuration(replica);
  }

  /**
   * Returns how long to prefer other replicas. All streams of a connection end together: this is
   * one failure, not one for each stream. So the time is not extended while other replicas are
   * already preferred.
   */
  private Duration unreachableDuration(Replica replica) {
    replica.failures++;
    return isSkipped(replica) ? Duration.ZERO : replica.backoff().next(Duration.ZERO);
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
