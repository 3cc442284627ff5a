package io.watchgate.e2e.promises;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.e2e.proxy.FaultProxy.Manner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A gateway, or several replicas of it, and what goes wrong around them. Each fault is over before
 * the next; when it is told to rest, everything works again.
 */
final class Adversary implements AutoCloseable {
  /** Between faults. */
  private static final int LONGEST_REST_MILLIS = 500;

  /** What one lasts that lasts. */
  private static final int SHORTEST_MILLIS = 200;

  private static final int LONGEST_MILLIS = 2_000;

  /** The gateway asks again sooner, if it asks at all. */
  private static final Duration ANSWER = Duration.ofSeconds(3);

  /** So long that the gateway has to notice. */
  private static final Duration STOP = Duration.ofMillis(2_700);

  /** Longer than a subscriber waits for a word. */
  private static final int HANG_MILLIS = 4_500;

  /** What a replica may be behind, so that others are ahead. */
  private static final int LONGEST_LAG_MILLIS = 3_000;

  private final Apiserver apiserver;
  private final Optional<DamagingProxy> answers;
  private final List<Replica> replicas;

  /** Those of the replicas that things happen to. */
  private final List<Replica> victims;

  private final Duration freeze;
  private final Random random;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Map<Fault, Integer> done = new ConcurrentHashMap<>();
  private @Nullable Thread thread;
  private @Nullable Throwable failure;
  private boolean resting;

  private Adversary(
      Apiserver apiserver,
      Optional<DamagingProxy> answers,
      List<Replica> replicas,
      List<Replica> victims,
      Duration freeze,
      long seed) {
    this.apiserver = apiserver;
    this.answers = answers;
    this.replicas = List.copyOf(replicas);
    this.victims = List.copyOf(victims);
    this.freeze = freeze;
    this.random = new Random(seed);
  }

  private static Adversary ofOne(
      Apiserver apiserver, Optional<DamagingProxy> answers, ProcessSetup setup, long seed)
      throws IOException {
    List<Replica> only = List.of(new Replica(apiserver, answers, setup));
    return new Adversary(apiserver, answers, only, only, STOP, seed);
  }

  /** Starts a gateway that speaks to its apiserver as usual: HTTP/2. */
  static Adversary ofLinks(Apiserver apiserver, long seed) throws IOException {
    return ofLinks(apiserver, List.of(), seed);
  }

  /**
   * The same.
   *
   * @param changed classes that the gateway takes instead of its own
   */
  static Adversary ofLinks(Apiserver apiserver, List<Path> changed, long seed) throws IOException {
    return ofOne(apiserver, Optional.empty(), ProcessSetup.USUAL.withChanged(changed), seed);
  }

  /** The same, with as much heap and no more. */
  static Adversary ofHeap(Apiserver apiserver, int mib, long seed) throws IOException {
    return ofOne(apiserver, Optional.empty(), ProcessSetup.USUAL.withHeap(mib), seed);
  }

  /** Starts a gateway whose answers can be damaged, too: HTTP/1.1. */
  static Adversary ofAnswers(Apiserver apiserver, long seed) throws IOException {
    return ofOne(apiserver, Optional.of(DamagingProxy.before(apiserver)), ProcessSetup.USUAL, seed);
  }

  /**
   * Starts several gateways.
   *
   * @param victims how many of them things happen to, the last ones
   * @param freeze how long one is stopped
   */
  static Adversary ofReplicas(
      Apiserver apiserver, int number, int victims, ProcessSetup setup, Duration freeze, long seed)
      throws IOException {
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      Replica replica = new Replica(apiserver, Optional.empty(), setup);
      replica.gateway().awaitReady();
      replicas.add(replica);
    }
    return new Adversary(
        apiserver,
        Optional.empty(),
        replicas,
        replicas.subList(number - victims, number),
        freeze,
        seed);
  }

  /** Where subscribers find the gateway, or each of its replicas, whichever process it is. */
  List<Integer> ports() {
    return replicas.stream().map(Replica::port).toList();
  }

  /** The only one, or the first, whichever process it is now. */
  GatewayProcess gateway() {
    return replicas.getFirst().gateway();
  }

  /** For a report: where the logs of the gateways are kept, below the repository. */
  String logs() {
    return replicas.stream()
        .map(replica -> Repository.root().relativize(replica.log()).toString())
        .collect(Collectors.joining(", ", "logs of the gateways: ", ""));
  }

  /** Of all gateways so far; only while nothing happens to them. */
  List<Life> lives() throws IOException, InterruptedException {
    List<Life> lives = new ArrayList<>();
    for (Replica replica : replicas) {
      lives.addAll(replica.lives());
    }
    return lives;
  }

  /**
   * From now on things break.
   *
   * @param faults that are inflicted one after the other, each once before any comes again; none:
   *     none is
   */
  void begin(List<? extends Fault> faults) {
    begin(faults, Integer.MAX_VALUE);
  }

  /** The same, and each comes once. */
  void beginOnce(List<? extends Fault> faults) {
    begin(faults, 1);
  }

  private void begin(List<? extends Fault> faults, int rounds) {
    done.clear();
    resting = false;
    thread = Thread.ofVirtual().name("adversary").start(() -> run(faults, rounds));
  }

  private void run(List<? extends Fault> faults, int rounds) {
    try {
      List<Fault> deck = new ArrayList<>();
      for (int round = 0; !faults.isEmpty() && round < rounds && !isResting(); round++) {
        deck.addAll(faults);
        Collections.shuffle(deck, random);
        while (!deck.isEmpty() && pause(0, LONGEST_REST_MILLIS)) {
          Fault fault = deck.removeLast();
          if (inflict(fault)) {
            done.merge(fault, 1, Integer::sum);
          }
        }
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Whether each was inflicted since it began. */
  boolean hasInflicted(List<? extends Fault> faults) {
    return done.keySet().containsAll(faults);
  }

  /** How many different ones were inflicted since it began. */
  int kinds() {
    return done.size();
  }

  /** False: it did not come to that before it was told to rest. */
  private boolean inflict(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case LinkFault one -> inflict(one, victim().link());
      case SubscriberFault one -> inflict(one.asLink(), victim().front());
      case GatewayFault one -> inflict(one, victim());
      case ApiserverFault one -> inflict(one);
      case ReplicaFault one -> {
        for (Replica each : victims) {
          each.suffers(one);
          inflict(one, each);
        }
      }
      case AnswerFault one -> {
        DamagingProxy proxy = answers.orElseThrow();
        proxy.damage(one.damages());
        proxy.cut();
        boolean spent = proxy.awaitSpent(ANSWER); // the gateway is about to ask, rest or not
        proxy.forget();
        return spent;
      }
    }
    return true;
  }

  private Replica victim() {
    return victims.get(random.nextInt(victims.size()));
  }

  private void inflict(LinkFault fault, FaultProxy at) throws InterruptedException {
    switch (fault) {
      case RESET -> at.reset();
      case CUT -> forAWhile(at, Manner.CUT);
      case SILENCE -> forAWhile(at, Manner.SILENT);
      case DELAY -> forAWhile(at, Manner.DELAYED);
      case TRICKLE -> forAWhile(at, Manner.BYTE_BY_BYTE);
      case COMPACTION -> {
        at.pass(Manner.CUT);
        pause(SHORTEST_MILLIS, LONGEST_MILLIS);
        apiserver.compact();
        at.pass(Manner.PASSING);
      }
    }
  }

  private void forAWhile(FaultProxy at, Manner manner) throws InterruptedException {
    at.pass(manner);
    pause(SHORTEST_MILLIS, LONGEST_MILLIS);
    at.pass(Manner.PASSING);
  }

  private void inflict(ApiserverFault fault) throws InterruptedException {
    switch (fault) {
      case HANG -> {
        apiserver.pause();
        try {
          pause(HANG_MILLIS, HANG_MILLIS + LONGEST_REST_MILLIS);
        } finally {
          apiserver.resume();
        }
      }
    }
  }

  private void inflict(GatewayFault fault, Replica at) throws IOException, InterruptedException {
    switch (fault) {
      case TERM -> at.replace();
      case KILL -> {
        at.kill();
        at.startAnother();
      }
      case FORGET -> {
        at.kill();
        pause(SHORTEST_MILLIS, LONGEST_MILLIS);
        apiserver.compact();
        at.startAnother();
      }
      case STOP -> stop(at);
    }
  }

  private void inflict(ReplicaFault fault, Replica at) throws IOException, InterruptedException {
    switch (fault) {
      case REPLACE -> at.replace();
      case KILL -> {
        at.kill();
        pause(SHORTEST_MILLIS, LONGEST_MILLIS);
        at.startAnother();
      }
      case FREEZE -> stop(at);
      case LAG -> {
        at.link().pass(Manner.SILENT);
        pause(LONGEST_MILLIS, LONGEST_LAG_MILLIS);
        at.link().pass(Manner.PASSING);
      }
    }
  }

  private void stop(Replica at) throws IOException, InterruptedException {
    at.gateway().signal("STOP");
    Thread.sleep(freeze);
    at.gateway().signal("CONT");
  }

  private boolean isResting() {
    lock.lock();
    try {
      return resting;
    } finally {
      lock.unlock();
    }
  }

  /** False, at once: it is told to rest. */
  private boolean pause(int atLeastMillis, int lessThanMillis) throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(random.nextInt(atLeastMillis, lessThanMillis));
    lock.lock();
    try {
      while (!resting && left > 0) {
        left = ended.awaitNanos(left);
      }
      return !resting;
    } finally {
      lock.unlock();
    }
  }

  /**
   * No further faults until it begins again.
   *
   * @return how often each was inflicted
   * @throws IllegalStateException if one could not be
   */
  Map<Fault, Integer> rest() throws InterruptedException {
    lock.lock();
    try {
      resting = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
    if (thread != null) {
      thread.join();
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
    return Map.copyOf(done);
  }

  @Override
  public void close() throws IOException {
    try {
      rest();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      for (Replica replica : replicas) {
        replica.close();
      }
      answers.ifPresent(DamagingProxy::close);
    }
  }
}
