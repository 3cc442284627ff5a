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
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fault injector with one gateway, or several replicas. Faults do not overlap; after {@link #rest},
 * everything works again.
 */
final class FaultInjector implements AutoCloseable {
  /** Longest pause between faults. */
  private static final int LONGEST_REST_MILLIS = 500;

  /** Shortest duration of a fault. */
  private static final int SHORTEST_MILLIS = 200;

  private static final int LONGEST_MILLIS = 2_000;

  /** Longest wait for the next request of the gateway, whose answer is damaged. */
  private static final Duration MAX_REQUEST_WAIT = Duration.ofSeconds(3);

  /** Duration of a stop, long enough to be detected by the gateway. */
  private static final Duration STOP = Duration.ofMillis(2_700);

  /** Longer than a subscriber's silence timeout. */
  private static final int HANG_MILLIS = 4_500;

  /** Longest time for which a replica lags, so that others are ahead. */
  private static final int LONGEST_LAG_MILLIS = 3_000;

  private final Apiserver apiserver;
  private final Optional<DamagingProxy> answers;
  private final List<Replica> replicas;

  /** Replicas to which faults are applied. */
  private final List<Replica> victims;

  /** Number of replicas to which a {@link ReplicaFault} is applied, one after the other. */
  private final int victimsOfFault;

  private int nextVictim;

  private final Duration freeze;
  private final Random random;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Map<Fault, Integer> done = new ConcurrentHashMap<>();
  private @Nullable Thread thread;
  private @Nullable Throwable failure;
  private boolean resting;

  private FaultInjector(
      Apiserver apiserver,
      Optional<DamagingProxy> answers,
      List<Replica> replicas,
      List<Replica> victims,
      int victimsOfFault,
      Duration freeze,
      long seed) {
    this.apiserver = apiserver;
    this.answers = answers;
    this.replicas = List.copyOf(replicas);
    this.victims = List.copyOf(victims);
    this.victimsOfFault = victimsOfFault;
    this.freeze = freeze;
    this.random = new Random(seed);
  }

  private static FaultInjector ofOne(
      Apiserver apiserver, Optional<DamagingProxy> answers, ProcessSetup setup, long seed)
      throws IOException {
    List<Replica> only = List.of(new Replica(apiserver, answers, setup));
    return new FaultInjector(apiserver, answers, only, only, 1, STOP, seed);
  }

  /** Starts a gateway that connects to its apiserver by HTTP/2, as usual. */
  static FaultInjector ofLinks(Apiserver apiserver, long seed) throws IOException {
    return ofLinks(apiserver, List.of(), seed);
  }

  /**
   * Starts a gateway with changed classes.
   *
   * @param changed classes that replace the gateway's own
   */
  static FaultInjector ofLinks(Apiserver apiserver, List<Path> changed, long seed)
      throws IOException {
    return ofOne(apiserver, Optional.empty(), ProcessSetup.USUAL.withChanged(changed), seed);
  }

  /** Starts a gateway that sends all responses by gRPC. */
  static FaultInjector ofLinksWithoutLane(Apiserver apiserver, long seed) throws IOException {
    return ofOne(apiserver, Optional.empty(), ProcessSetup.USUAL.withoutLane(), seed);
  }

  /** Starts a gateway with a limited heap. */
  static FaultInjector ofHeap(Apiserver apiserver, int mib, long seed) throws IOException {
    return ofOne(apiserver, Optional.empty(), ProcessSetup.USUAL.withHeap(mib), seed);
  }

  /** Starts a gateway whose upstream answers can be damaged as well: HTTP/1.1. */
  static FaultInjector ofAnswers(Apiserver apiserver, long seed) throws IOException {
    return ofOne(apiserver, Optional.of(DamagingProxy.before(apiserver)), ProcessSetup.USUAL, seed);
  }

  /**
   * Starts several gateways.
   *
   * @param victims number of replicas to which faults are applied, the last ones
   * @param victimsOfFault number of them to which each fault is applied; the next fault goes on
   *     with the next replica
   * @param freeze duration of a freeze
   */
  static FaultInjector ofReplicas(
      Apiserver apiserver,
      int number,
      int victims,
      int victimsOfFault,
      ProcessSetup setup,
      Duration freeze,
      long seed)
      throws IOException {
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      Replica replica = new Replica(apiserver, Optional.empty(), setup);
      replica.gateway().awaitReady();
      replicas.add(replica);
    }
    return new FaultInjector(
        apiserver,
        Optional.empty(),
        replicas,
        replicas.subList(number - victims, number),
        victimsOfFault,
        freeze,
        seed);
  }

  /**
   * Returns the ports of the gateway, or of each of its replicas; they stay the same over restarts.
   */
  List<Integer> ports() {
    return replicas.stream().map(Replica::port).toList();
  }

  /** Returns the ports of the Kubernetes read API in the same order. */
  List<Integer> kubePorts() {
    return replicas.stream().map(Replica::kubePort).toList();
  }

  /** Returns how relayed answers are judged: ignored if a proxy damages answers. */
  JudgedWatches.Relayed relayed() {
    return answers.isPresent() ? JudgedWatches.Relayed.IGNORED : JudgedWatches.Relayed.JUDGED;
  }

  /** Returns the current process of the only gateway, or of the first. */
  GatewayProcess gateway() {
    return replicas.getFirst().gateway();
  }

  /** Returns the folder of the gateways' logs, below the repository, for a report. */
  String logs() {
    return replicas.stream()
        .map(replica -> Repository.root().relativize(replica.log()).toString())
        .collect(Collectors.joining(", ", "logs of the gateways: ", ""));
  }

  /** Returns the records of all gateway processes so far; only between faults. */
  List<ProcessRecord> processRecords() throws IOException, InterruptedException {
    List<ProcessRecord> records = new ArrayList<>();
    for (Replica replica : replicas) {
      records.addAll(replica.processRecords());
    }
    return records;
  }

  /** Returns the responses by the lane of all gateway processes so far; only between faults. */
  double laneResponses() throws IOException, InterruptedException {
    return processRecords().stream()
        .mapToDouble(process -> process.metrics().laneResponses())
        .sum();
  }

  /**
   * Starts to inflict faults.
   *
   * @param faults faults that are inflicted one after the other, each once before any is repeated;
   *     empty: none
   */
  void begin(List<? extends Fault> faults) {
    begin(faults, Integer.MAX_VALUE);
  }

  /** Starts to inflict each fault once. */
  void beginOnce(List<? extends Fault> faults) {
    begin(faults, 1);
  }

  private void begin(List<? extends Fault> faults, int rounds) {
    done.clear();
    resting = false;
    thread = Thread.ofVirtual().name("fault injector").start(() -> run(faults, rounds));
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
          } else {
            deck.addFirst(fault);
          }
        }
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Returns whether each fault was inflicted since the start. */
  boolean hasInflicted(List<? extends Fault> faults) {
    return done.keySet().containsAll(faults);
  }

  /** Returns the number of different faults inflicted since the start. */
  int kinds() {
    return done.size();
  }

  /** Returns false if the fault could not be inflicted before the request to rest. */
  private boolean inflict(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case LinkFault one -> inflict(one, List.of(victim().link()));
      case SubscriberFault one -> inflict(one.asLink(), victim().fronts());
      case GatewayFault one -> inflict(one, victim());
      case ApiserverFault one -> inflict(one);
      case ReplicaFault one -> {
        for (int i = 0; i < victimsOfFault; i++) {
          Replica next = victims.get(nextVictim++ % victims.size());
          next.recordFault(one);
          inflict(one, next);
        }
      }
      case AnswerFault one -> {
        DamagingProxy proxy = answers.orElseThrow();
        proxy.damage(one.damages());
        proxy.cut();
        boolean spent = proxy.awaitSpent(MAX_REQUEST_WAIT);
        proxy.forget();
        return spent;
      }
    }
    return true;
  }

  private Replica victim() {
    return victims.get(random.nextInt(victims.size()));
  }

  private void inflict(LinkFault fault, List<FaultProxy> at) throws InterruptedException {
    switch (fault) {
      case RESET -> at.forEach(FaultProxy::reset);
      case CUT -> forAWhile(at, Manner.CUT);
      case SILENCE -> forAWhile(at, Manner.SILENT);
      case DELAY -> forAWhile(at, Manner.DELAYED);
      case TRICKLE -> forAWhile(at, Manner.BYTE_BY_BYTE);
      case COMPACTION -> {
        at.forEach(one -> one.pass(Manner.CUT));
        pause(SHORTEST_MILLIS, LONGEST_MILLIS);
        // The gateway has to list again only if it does not have the last two versions.
        for (int i = 0; i < 2; i++) {
          apiserver.cluster().createNamespace("before-compaction-" + UUID.randomUUID());
        }
        apiserver.compact();
        at.forEach(one -> one.pass(Manner.PASSING));
      }
    }
  }

  private void forAWhile(List<FaultProxy> at, Manner manner) throws InterruptedException {
    at.forEach(one -> one.pass(manner));
    pause(SHORTEST_MILLIS, LONGEST_MILLIS);
    at.forEach(one -> one.pass(Manner.PASSING));
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

  /** Returns false immediately on a request to rest. */
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
   * Stops inflicting faults until the next start.
   *
   * @return number of times that each was inflicted
   * @throws IllegalStateException if a fault could not be inflicted
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
