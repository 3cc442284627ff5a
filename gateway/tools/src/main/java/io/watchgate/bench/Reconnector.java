package io.watchgate.bench;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A reader that closes its connection after each snapshot and opens the next, endlessly. Its
 * deliveries are not checked.
 *
 * <p>Between two attempts it is disconnected for about a second, the initial backoff of clients
 * (gRPC's connection backoff). If it stayed connected, it would receive each change on a connection
 * of its own, and that would be most of its effect on other readers.
 *
 * <p>Its thread and the event loop of its connections have idle priority. Other readers thus
 * compete with the work that it causes in the server, and not with the client, which in production
 * runs on another machine.
 */
final class Reconnector {
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MIN_PAUSE_MILLIS = 500;
  private static final long MAX_PAUSE_MILLIS = 1_500;
  private static final int RESETS = 300;
  private static final long WARM_UP_SPEEDUP = 10;

  private final BenchEventLoops loops;
  private final byte[] request;
  private final BenchPlan plan;
  private final ExpectedMatches expectedMatches;
  private final RunClock clock;
  private final MeasurementWindow measurementWindow;
  private final SplittableRandom random;
  private final AtomicLong attempts = new AtomicLong();
  private long warmUpEnds;
  private @Nullable Thread thread;

  Reconnector(
      BenchEventLoops loops,
      byte[] request,
      ExpectedMatches expectedMatches,
      BenchPlan plan,
      int reader,
      RunClock clock,
      MeasurementWindow measurementWindow) {
    this.loops = loops;
    this.request = request;
    this.expectedMatches = expectedMatches;
    this.plan = plan;
    this.clock = clock;
    this.measurementWindow = measurementWindow;
    this.random = new SplittableRandom(plan.seed() + reader);
  }

  void start() {
    warmUpEnds = clock.nanos() + plan.times().warmUp().toNanos();
    thread = Thread.ofPlatform().daemon().name("bench-reconnect").start(IdlePriority.of(this::run));
  }

  private void run() {
    try {
      while (true) {
        ManagedChannel channel = loops.channel();
        try {
          connectOnce(channel);
        } finally {
          channel.shutdownNow();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void connectOnce(ManagedChannel channel) throws InterruptedException {
    BenchPlan.HostileBehavior behavior = plan.readers().stall().behavior();
    try {
      loops.connect(channel, CONNECT_NANOS);
      switch (behavior) {
        case RESET -> flood(connection(channel));
        case SCAN -> new ScannerLoad(channel, random).run();
        case RECONNECT, NO_DEMAND, UNREAD -> sync(connection(channel));
      }
      countAttempt();
    } catch (IOException e) {
      // rejected: reconnects anyway
    }
    if (behavior != BenchPlan.HostileBehavior.RESET) { // would drop the unsent part of a flood
      channel.shutdownNow();
    }
    pause();
  }

  private ReaderConnection connection(ManagedChannel channel) {
    return new ReaderConnection(
        channel,
        new LatencyRecorder(clock, new MeasurementWindow()), // a window that never begins
        new InFlightLimit.Share(new int[plan.objects().count()], null),
        status -> {});
  }

  private void sync(ReaderConnection connection) throws InterruptedException {
    Reader reader =
        connection.open(Reader.Role.READS, new DeliveryTracker(expectedMatches), request);
    reader.synced().await();
    reader.close();
  }

  /**
   * Opens more streams than a server should accept. The server closes the connection, and this
   * reader reconnects.
   */
  private void flood(ReaderConnection connection) {
    for (int i = 0; i < RESETS; i++) {
      connection.open(Reader.Role.READS, new DeliveryTracker(expectedMatches), request).close();
    }
  }

  private void countAttempt() {
    if (measurementWindow.covers(clock.nanos())) {
      attempts.incrementAndGet();
    }
  }

  /**
   * Waits before the next connection. The wait is a tenth in the warm-up, because a server compiles
   * its code for new connections only after thousands of them.
   */
  private void pause() throws InterruptedException {
    long millis = random.nextLong(MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS);
    Thread.sleep(clock.nanos() < warmUpEnds ? millis / WARM_UP_SPEEDUP : millis);
  }

  /**
   * Returns the number of completed attempts (snapshots, floods or scans) in the measurement
   * window.
   */
  long attempts() {
    return attempts.get();
  }

  void close() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
