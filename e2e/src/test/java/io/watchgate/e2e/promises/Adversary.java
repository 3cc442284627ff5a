package io.watchgate.e2e.promises;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import io.watchgate.e2e.proxy.FaultProxy.Manner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A gateway, and what goes wrong around it. Each fault is over before the next; when it is told to
 * end, everything works again.
 */
final class Adversary implements AutoCloseable {
  private static final List<Fault> FAULTS = List.of(Fault.values());

  /** Between faults, and what one lasts that lasts. */
  private static final int SHORTEST_MILLIS = 200;

  private static final int LONGEST_MILLIS = 2_000;

  private final Apiserver apiserver;
  private final GatewaySetup setup;
  private final FaultProxy proxy;
  private final Path kubeconfig;
  private final Random random;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private volatile GatewayUnderTest gateway;
  private @Nullable Thread thread;
  private @Nullable Exception failure;
  private boolean ending;

  Adversary(Apiserver apiserver, GatewaySetup setup, long seed) throws IOException {
    this.apiserver = apiserver;
    this.setup = setup;
    this.random = new Random(seed);
    this.proxy = new FaultProxy(apiserver.server());
    this.kubeconfig = apiserver.kubeconfigVia(proxy.uri());
    this.gateway = GatewayUnderTest.start(kubeconfig, setup);
  }

  /** Where the gateway serves, whichever it is. */
  int port() {
    return gateway.port();
  }

  /** From now on things break. */
  void begin() {
    thread = Thread.ofVirtual().name("adversary").start(this::run);
  }

  private void run() {
    try {
      while (pause()) {
        Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
        inflict(fault);
        done.merge(fault, 1, Integer::sum);
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure = e;
    }
  }

  private void inflict(Fault fault) throws IOException, InterruptedException {
    switch (fault) {
      case RESET -> proxy.reset();
      case CUT -> forAWhile(Manner.CUT);
      case SILENCE -> forAWhile(Manner.SILENT);
      case DELAY -> forAWhile(Manner.DELAYED);
      case TRICKLE -> forAWhile(Manner.BYTE_BY_BYTE);
      case COMPACTION -> {
        proxy.pass(Manner.CUT);
        pause();
        apiserver.compact();
        proxy.pass(Manner.PASSING);
      }
      case RESTART -> {
        int port = gateway.port();
        gateway.close();
        gateway = GatewayUnderTest.startAt(port, kubeconfig, setup);
      }
    }
  }

  private void forAWhile(Manner manner) throws InterruptedException {
    proxy.pass(manner);
    pause();
    proxy.pass(Manner.PASSING);
  }

  /** False, at once: it is told to end. */
  private boolean pause() throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS));
    lock.lock();
    try {
      while (!ending && left > 0) {
        left = ended.awaitNanos(left);
      }
      return !ending;
    } finally {
      lock.unlock();
    }
  }

  /**
   * No further faults.
   *
   * @return how often each was inflicted
   * @throws IllegalStateException if one could not be
   */
  Map<Fault, Integer> end() throws InterruptedException {
    lock.lock();
    try {
      ending = true;
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
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      gateway.close();
      proxy.close();
    }
  }
}
