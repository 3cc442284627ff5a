package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batched upstream lookups for the streams of one type. At most two threads run at a time, one for
 * each kind of lookup. A request that arrives while a lookup is running waits for the next lookup,
 * together with all other requests.
 *
 * <p>After a replica died, many clients ask for many positions at about the same time. Backfill
 * requests are therefore collected for one second. The backfill then begins at the oldest version
 * that is available.
 */
final class BatchedUpstreamLookups implements UpstreamLookups {
  private static final Logger log = LoggerFactory.getLogger(BatchedUpstreamLookups.class);

  private final VersionProbe probe;
  private final WatchCache cache;
  private final ReflectorCommands commands;
  private final Backfill backfill;
  private final ReflectorClock.Sleeper sleeper;
  private final Executor threads;
  private final CountDownLatch stopped;
  private final CoalescedLookup<Optional<ResourceVersion>, Progress> progress;

  private List<BackfillRequest> backfillRequests = new ArrayList<>();

  private boolean backfillRunning;

  private record BackfillRequest(ResourceVersion version, CompletableFuture<Boolean> answer) {}

  /**
   * @param threads runs each task on a new thread
   * @param stopped latch that ends every wait
   */
  BatchedUpstreamLookups(
      VersionProbe probe,
      WatchCache cache,
      ReflectorCommands demands,
      Backfill backfill,
      ReflectorClock.Sleeper waiting,
      Executor threads,
      CountDownLatch stopped) {
    this.probe = probe;
    this.cache = cache;
    this.commands = demands;
    this.backfill = backfill;
    this.sleeper = waiting;
    this.threads = threads;
    this.stopped = stopped;
    this.progress =
        new CoalescedLookup<>(
            threads,
            BatchedUpstreamLookups::later,
            CoalescedLookup.Pause.NONE,
            this::ask,
            e ->
                e instanceof InterruptedException
                    ? new Unknown("interrupted")
                    : new Unknown(failed("asking for the present version", e)));
  }

  @Override
  public CompletionStage<Progress> requestProgress() {
    return progress.ask(Optional.empty());
  }

  @Override
  public CompletionStage<Progress> requestProgress(ResourceVersion wanted) {
    return progress.ask(Optional.of(wanted));
  }

  @Override
  public synchronized CompletionStage<Boolean> backfill(ResourceVersion version) {
    BackfillRequest past = new BackfillRequest(version, new CompletableFuture<>());
    backfillRequests.add(past);
    if (!backfillRunning) {
      backfillRunning = true;
      threads.execute(this::runBackfills);
    }
    return past.answer;
  }

  // ---- on lookup threads

  private static Optional<ResourceVersion> later(
      Optional<ResourceVersion> one, Optional<ResourceVersion> other) {
    return Stream.of(one, other).flatMap(Optional::stream).max(Comparator.naturalOrder());
  }

  /**
   * Asks for the version of the apiserver.
   *
   * @param wanted the highest version that a request would give up
   */
  private Progress ask(Optional<ResourceVersion> wanted) throws InterruptedException {
    Progress first = ask();
    if (wanted.isEmpty() || !(first instanceof At) || first.hasReached(wanted.get())) {
      return first;
    }
    probe.reconnectAndWait();
    return stopped.getCount() == 0 ? first : ask();
  }

  private Progress ask() throws InterruptedException {
    Revision head = cache.head();
    if (head == null) {
      return new Unknown("nothing is held yet");
    }
    return switch (probe.probe(head)) {
      case VersionProbe.Answered(ResourceVersion version) -> {
        if (version.isAfter(head.version()) && cache.definition().type().isWatchCached()) {
          commands.refreshPosition();
        }
        yield new At(version);
      }
      case VersionProbe.Behind(ResourceVersion version, var _) -> {
        commands.relist("rollback", head);
        yield new At(version);
      }
      case VersionProbe.Failed(UpstreamFailure failure) -> new Unknown(failure.message());
    };
  }

  private void runBackfills() {
    try {
      for (List<BackfillRequest> next = collectBackfillRequests();
          !next.isEmpty();
          next = collectBackfillRequests()) {
        next.sort(Comparator.comparing(BackfillRequest::version));
        try {
          backfillOldest(next);
        } catch (RuntimeException | Error e) {
          failed("fetching the past", e);
        } finally {
          next.forEach(past -> past.answer.complete(false)); // requests without an answer
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Backfills from the oldest version that is available. A version that is too old must not spoil
   * the newer ones, but thousands of versions cannot be tried one by one.
   */
  private void backfillOldest(List<BackfillRequest> sorted) throws InterruptedException {
    int from = 0;
    for (int tries = 0;
        tries < CacheSettings.Backfills.MAX_VERSIONS
            && from < sorted.size()
            && stopped.getCount() > 0;
        tries++) {
      ResourceVersion oldest = sorted.get(from).version;
      if (backfillWithRetries(oldest)) {
        sorted.subList(from, sorted.size()).forEach(past -> past.answer.complete(true));
        return;
      }
      while (from < sorted.size() && !sorted.get(from).version.isAfter(oldest)) {
        from++;
      }
      from += (sorted.size() - from) / 2;
    }
  }

  /**
   * Retries while the apiserver does not answer, as it may be restarting. Ends after a bounded
   * number of attempts, whatever their results, because streams with older tokens wait for the
   * result.
   */
  private boolean backfillWithRetries(ResourceVersion oldest) throws InterruptedException {
    Duration pause = CacheSettings.Backfills.COLLECTION_TIME;
    for (int attempt = 1; stopped.getCount() > 0; attempt++) {
      Backfill.Reach reached = backfill.extendHistoryTo(oldest);
      if (reached != Backfill.Reach.UNANSWERED) {
        return reached == Backfill.Reach.REACHED;
      }
      if (attempt == CacheSettings.Backfills.MAX_ATTEMPTS) {
        backfill.blockRetries(oldest);
        return false;
      }
      sleeper.await(stopped, pause);
      pause = pause.multipliedBy(2);
    }
    return false;
  }

  private List<BackfillRequest> collectBackfillRequests() throws InterruptedException {
    sleeper.await(stopped, CacheSettings.Backfills.COLLECTION_TIME);
    return takeBackfillRequests();
  }

  private synchronized List<BackfillRequest> takeBackfillRequests() {
    List<BackfillRequest> next = backfillRequests;
    backfillRequests = new ArrayList<>();
    backfillRunning = !next.isEmpty();
    return next;
  }

  private String failed(String what, Throwable e) {
    if (stopped.getCount() > 0) {
      log.error("{}: {} failed", cache.definition().type(), what, e);
    }
    return "the gateway itself failed";
  }
}
