package io.watchgate.e2e.promises;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.e2e.proxy.FaultProxy.Manner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A gateway, and what goes wrong around it. Each fault is over before the next; when it is told to
 * rest, everything works again.
 */
final class Adversary implements AutoCloseable {
  /** Between faults. */
  private static final int LONGEST_REST_MILLIS = 500;

  /** What one lasts that lasts. */
  private static final int SHORTEST_MILLIS = 200;

  private static final int LONGEST_MILLIS = 2_000;

  /** The gateway asks again sooner, if it asks at all. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** So long that the gateway has to notice. */
  private static final int STOP_MILLIS = 2_700;

  private final Apiserver apiserver;
  private final Optional<DamagingProxy> answers;

  /** Between the gateway and its apiserver. */
  private final FaultProxy link;

  /** Between subscribers and the gateway. */
  private final FaultProxy front;

  private final Path kubeconfig;
  private final List<Path> changed;
  private final int heapMib;
  private final Random random;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private Map<Fault, Integer> done = new HashMap<>();
  private volatile GatewayProcess gateway;
  private @Nullable Thread thread;
  private @Nullable Throwable failure;
  private boolean resting;

  private Adversary(
      Apiserver apiserver,
      Optional<DamagingProxy> answers,
      List<Path> changed,
      int heapMib,
      long seed)
      throws IOException {
    this.apiserver = apiserver;
    this.answers = answers;
    this.changed = List.copyOf(changed);
    this.heapMib = heapMib;
    this.random = new Random(seed);
    this.link = new FaultProxy(answers.map(DamagingProxy::uri).orElse(apiserver.server()));
    this.kubeconfig =
        answers.isPresent()
            ? answers.get().kubeconfigVia(link.uri())
            : apiserver.kubeconfigVia(link.uri());
    this.gateway = GatewayProcess.start(kubeconfig, changed, heapMib);
    this.front = new FaultProxy(gateway.uri());
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
    return new Adversary(apiserver, Optional.empty(), changed, GatewayProcess.USUAL_MIB, seed);
  }

  /** The same, with as much heap and no more. */
  static Adversary ofHeap(Apiserver apiserver, int mib, long seed) throws IOException {
    return new Adversary(apiserver, Optional.empty(), List.of(), mib, seed);
  }

  /** Starts a gateway whose answers can be damaged, too: HTTP/1.1. */
  static Adversary ofAnswers(Apiserver apiserver, long seed) throws IOException {
    return new Adversary(
        apiserver,
        Optional.of(DamagingProxy.before(apiserver)),
        List.of(),
        GatewayProcess.USUAL_MIB,
        seed);
  }

  /** Where subscribers find the gateway, whichever it is. */
  int port() {
    return front.port();
  }

  /** Whichever runs now. */
  GatewayProcess gateway() {
    return gateway;
  }

  /**
   * From now on things break.
   *
   * @param faults that are inflicted one after the other, each once before any comes again; none:
   *     none is
   */
  void begin(List<? extends Fault> faults) {
    done = new HashMap<>();
    resting = false;
    thread = Thread.ofVirtual().name("adversary").start(() -> run(faults));
  }

  private void run(List<? extends Fault> faults) {
    try {
      List<Fault> deck = new ArrayList<>();
      while (!faults.isEmpty() && pause(0, LONGEST_REST_MILLIS)) {
        if (deck.isEmpty()) {
          deck.addAll(faults);
          Collections.shuffle(deck, random);
        }
        Fault fault = deck.removeLast();
        if (inflict(fault)) {
          done.merge(fault, 1, Integer::sum);
        }
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** False: it did not come to that before it was told to rest. */
  private boolean inflict(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case LinkFault one -> inflict(one, link);
      case SubscriberFault one -> inflict(one.asLink(), front);
      case GatewayFault one -> inflict(one);
      case AnswerFault one -> {
        DamagingProxy proxy = answers.orElseThrow();
        proxy.damage(one.damages());
        proxy.cut();
        long until = System.nanoTime() + ANSWER_NANOS;
        while (!proxy.isSpent() && System.nanoTime() < until && pause(0, LONGEST_REST_MILLIS)) {
          // The gateway is about to ask.
        }
        boolean spent = proxy.isSpent();
        proxy.forget();
        return spent;
      }
    }
    return true;
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

  private void inflict(GatewayFault fault) throws IOException, InterruptedException {
    switch (fault) {
      case TERM -> {
        GatewayProcess old = gateway;
        startAnother();
        old.end();
      }
      case KILL -> {
        gateway.close();
        startAnother();
      }
      case STOP -> {
        gateway.signal("STOP");
        Thread.sleep(STOP_MILLIS);
        gateway.signal("CONT");
      }
    }
  }

  /** Elsewhere, since its port may be taken by now; subscribers find it where the old one was. */
  private void startAnother() throws IOException {
    gateway = GatewayProcess.start(kubeconfig, changed, heapMib);
    front.lead(gateway.uri());
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
    return done;
  }

  @Override
  public void close() throws IOException {
    try {
      rest();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      gateway.close();
      front.close();
      link.close();
      answers.ifPresent(DamagingProxy::close);
    }
  }
}
