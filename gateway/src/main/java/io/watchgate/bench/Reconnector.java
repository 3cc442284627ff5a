package io.watchgate.bench;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A reader that closes its connection soon after each snapshot and opens the next, without end.
 * What it gets is nobody's concern. It stays for about a second, which is what clients wait between
 * two attempts at first (gRPC's connection backoff), and its thread and those of its connections
 * run only while nobody else wants a processor: the others compete with what their server does, and
 * not with what readers do on the same machine, which in service they are not on.
 */
final class Reconnector {
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LEAST_STAY_MILLIS = 500;
  private static final int RESETS = 300;
  private static final long MOST_STAY_MILLIS = 1_500;
  private static final long HASTE = 10;

  private final EventLoops loops;
  private final byte[] request;
  private final Plan plan;
  private final Matching matching;
  private final Clock clock;
  private final Span span;
  private final SplittableRandom random;
  private final AtomicLong times = new AtomicLong();
  private long warmUpEnds;
  private @Nullable Thread thread;

  Reconnector(
      EventLoops loops,
      byte[] request,
      Matching matching,
      Plan plan,
      int reader,
      Clock clock,
      Span span) {
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
        visit();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void visit() throws InterruptedException {
    ManagedChannel channel = loops.channel();
    try {
      loops.connect(channel, CONNECT_NANOS);
      ReaderConnection connection =
          new ReaderConnection(
              channel,
              new Recorder(clock, new Span()), // one that never begins
              new Window.Share(new int[plan.objects().count()], null),
              status -> {});
      switch (plan.readers().stall().manner()) {
        case RESET -> flood(connection);
        case SCAN -> scan(channel);
        case RECONNECT, NO_DEMAND, UNREAD -> stay(connection);
      }
    } catch (IOException e) {
      Thread.sleep(MOST_STAY_MILLIS); // refused: it comes back all the same
    } finally {
      channel.shutdownNow();
    }
  }

  private void stay(ReaderConnection connection) throws InterruptedException {
    Reader reader = connection.open(Reader.Role.READS, new Ledger(matching), request);
    reader.synced().await();
    done();
    reader.close();
  }

  /**
   * Once more; then it waits. A tenth as long in the warm-up: what a server does for a new
   * connection is compiled after thousands of them.
   */
  private void done() throws InterruptedException {
    long now = clock.nanos();
    if (span.covers(now)) {
      times.incrementAndGet();
    }
    long millis = random.nextLong(LEAST_STAY_MILLIS, MOST_STAY_MILLIS);
    Thread.sleep(now < warmUpEnds ? millis / HASTE : millis);
  }

  /** More than a server should let pass: it closes the connection, and this one comes back. */
  private void flood(ReaderConnection connection) throws InterruptedException {
    for (int i = 0; i < RESETS; i++) {
      connection.open(Reader.Role.READS, new Ledger(matching), request).close();
    }
    done();
  }

  private void scan(ManagedChannel channel) throws InterruptedException {
    new Scan(channel, random).run();
    done();
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
