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
  private static final long LEAST_PAUSE_MILLIS = 500;
  private static final long MOST_PAUSE_MILLIS = 1_500;
  private static final int RESETS = 300;
  private static final long HASTE = 10;

  private final BenchEventLoops loops;
  private final byte[] request;
  private final BenchPlan plan;
  private final ExpectedMatches matching;
  private final RunClock clock;
  private final MeasurementWindow span;
  private final SplittableRandom random;
  private final AtomicLong times = new AtomicLong();
  private long warmUpEnds;
  private @Nullable Thread thread;

  Reconnector(
      BenchEventLoops loops,
      byte[] request,
      ExpectedMatches matching,
      BenchPlan plan,
      int reader,
      RunClock clock,
      MeasurementWindow span) {
    this.loops = loops;
    this.request = request;
    this.matching = matching;
    this.plan = plan;
    this.clock = clock;
    this.span = span;
    this.random = new SplittableRandom(plan.seed() + reader);
  }

  void start() {
    warmUpEnds = clock.nanos() + plan.warmUp().toNanos();
    thread = Thread.ofPlatform().daemon().name("bench-reconnect").start(IdlePriority.of(this::run));
  }

  private void run() {
    try {
      while (true) {
        ManagedChannel channel = loops.channel();
        try {
          visit(channel);
        } finally {
          channel.shutdownNow();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void visit(ManagedChannel channel) throws InterruptedException {
    BenchPlan.StallManner manner = plan.readers().stall().manner();
    try {
      loops.connect(channel, CONNECT_NANOS);
      switch (manner) {
        case RESET -> flood(connection(channel));
        case SCAN -> new ScannerLoad(channel, random).run();
        case RECONNECT, NO_DEMAND, UNREAD -> sync(connection(channel));
      }
      done();
    } catch (IOException e) {
      // rejected: reconnects anyway
    }
    if (manner != BenchPlan.StallManner.RESET) { // would drop the unsent part of a flood
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
    Reader reader = connection.open(Reader.Role.READS, new DeliveryTracker(matching), request);
    reader.synced().await();
    reader.close();
  }

  /**
   * Opens more streams than a server should accept. The server closes the connection, and this
   * reader reconnects.
   */
  private void flood(ReaderConnection connection) {
    for (int i = 0; i < RESETS; i++) {
      connection.open(Reader.Role.READS, new DeliveryTracker(matching), request).close();
    }
  }

  private void done() {
    if (span.covers(clock.nanos())) {
      times.incrementAndGet();
    }
  }

  /**
   * Waits before the next connection. The wait is a tenth in the warm-up, because a server compiles
   * its code for new connections only after thousands of them.
   */
  private void pause() throws InterruptedException {
    long millis = random.nextLong(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
    Thread.sleep(clock.nanos() < warmUpEnds ? millis / HASTE : millis);
  }

  /**
   * Returns the number of completed attempts (snapshots, floods or scans) in the measurement
   * window.
   */
  long times() {
    return times.get();
  }

  void close() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
