package io.watchgate.bench;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A reader that closes its connection after each snapshot and opens the next, without end. What it
 * gets is nobody's concern. Between two attempts it is away for about a second, which is what
 * clients wait at first (gRPC's connection backoff): were it connected meanwhile, it would be sent
 * each change on a connection of its own, and most of what the others felt would be that. Its
 * thread and those of its connections run only while nobody else wants a processor: the others
 * compete with what their server does, and not with what readers do on the same machine, which in
 * service they are not on.
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
      // refused: it comes back all the same
    }
    if (manner != BenchPlan.StallManner.RESET) { // what of a flood is not sent yet would go with it
      channel.shutdownNow();
    }
    pause();
  }

  private ReaderConnection connection(ManagedChannel channel) {
    return new ReaderConnection(
        channel,
        new LatencyRecorder(clock, new MeasurementWindow()), // one that never begins
        new InFlightLimit.Share(new int[plan.objects().count()], null),
        status -> {});
  }

  private void sync(ReaderConnection connection) throws InterruptedException {
    Reader reader = connection.open(Reader.Role.READS, new DeliveryTracker(matching), request);
    reader.synced().await();
    reader.close();
  }

  /** More than a server should let pass: it closes the connection, and this one comes back. */
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
   * Waits for the next. A tenth as long in the warm-up: what a server does for a new connection is
   * compiled after thousands of them.
   */
  private void pause() throws InterruptedException {
    long millis = random.nextLong(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
    Thread.sleep(clock.nanos() < warmUpEnds ? millis / HASTE : millis);
  }

  /** How often it was synced, or did to its server what it does, in the span that is measured. */
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
