package io.watchgate.e2e.differential;

import io.watchgate.e2e.differential.Subscriber.Opening;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceBlockingStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Task that stops streams and resumes them with their tokens during writes. Usually it resumes once
 * there is an event after the token. Half of the time it first waits until history was trimmed, and
 * sometimes until the token is older than history.
 */
final class Interruptions {
  private static final int THREADS = 3;

  /** Longest wait for an event or a trim; the end of the interruptions ends the wait, too. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /**
   * Longest wait for a token to expire. History is replaced by a number of writes, however long
   * they take; the end of the interruptions ends the wait, too.
   */
  private static final Duration EXPIRY_PATIENCE = Duration.ofMinutes(2);

  private final WatchServiceBlockingStub stub;
  private final Tally tally;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean resting;

  private Interruptions(WatchServiceBlockingStub stub, Tally tally) {
    this.stub = stub;
    this.tally = tally;
  }

  static Interruptions start(
      List<ComparedWatch> pairs, WatchServiceBlockingStub stub, Tally tally, long seed) {
    Interruptions interruptions = new Interruptions(stub, tally);
    for (int thread = 0; thread < THREADS; thread++) {
      List<ComparedWatch> own = new ArrayList<>();
      for (int i = thread; i < pairs.size(); i += THREADS) {
        own.add(pairs.get(i));
      }
      Random random = new Random(seed + thread);
      interruptions.running.add(interruptions.threads.submit(() -> interruptions.run(own, random)));
    }
    return interruptions;
  }

  private Void run(List<ComparedWatch> own, Random random) throws Exception {
    while (!resting) {
      ComparedWatch pair = own.get(random.nextInt(own.size()));
      interrupt(pair, random.nextInt(20));
    }
    return null;
  }

  private void interrupt(ComparedWatch pair, int dice) throws Exception {
    long position = pair.subscriber.stop();
    long oldest = oldest(pair.query);
    // The direct watch shows what happens while the stream is closed.
    boolean eventBehind = within(PATIENCE, () -> pair.direct.lastVersion() > position);
    if (dice == 0) {
      within(EXPIRY_PATIENCE, () -> oldest(pair.query) > position);
    } else if (dice % 2 == 0) {
      within(PATIENCE, () -> oldest(pair.query) > oldest);
    }
    boolean trimmed = oldest(pair.query) > oldest;
    Opening opening = pair.subscriber.open().get();
    if (opening == Opening.RESUMED && eventBehind) {
      tally.resumed();
      if (trimmed) {
        tally.resumedAfterTrim();
      }
    } else if (opening == Opening.SNAPSHOT) {
      if (oldest(pair.query) <= position) {
        throw new AssertionError(
            pair.query + ": a snapshot instead of a resume at " + position + ", still in history");
      }
      tally.expired();
    }
  }

  /**
   * Returns whether {@code condition} became true in time and before the end of the interruptions.
   */
  private boolean within(Duration limit, BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (resting || System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    return true;
  }

  /** Returns the oldest version in the gateway's history of the type of {@code query}. */
  private long oldest(Query query) {
    return query.oldestVersion(
        stub.listResourceTypes(ListResourceTypesRequest.getDefaultInstance()));
  }

  /** Waits until every stream is open again; throws a failure of the task. */
  void end() throws Exception {
    resting = true;
    threads.shutdown();
    for (Future<?> one : running) {
      one.get();
    }
  }
}
