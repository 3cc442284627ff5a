package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
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

  /** Clients of one reconnect storm arrive within about this time. */
  private static final Duration COLLECTED = Duration.ofSeconds(1);

  /** Maximum number of versions at which the backfill for one collection tries to begin. */
  private static final int TRIES = 4;

  /**
   * Maximum number of requests for one version while the apiserver does not answer: 7 s of waits in
   * all.
   */
  private static final int ATTEMPTS = 4;

  private final VersionProbe probe;
  private final WatchCache cache;
  private final ReflectorCommands demands;
  private final Backfill backfill;
  private final Sleeper waiting;
  private final Executor threads;
  private final CountDownLatch stopped;

  /** Answer for requests that no running lookup covers; null if there are none. Guarded by this. */
  private @Nullable CompletableFuture<Progress> progressAsked;

  /** The highest version that these requests wait for; null if none. Guarded by this. */
  private @Nullable ResourceVersion wanted;

  private boolean progressRuns;
  private List<BackfillRequest> pastAsked = new ArrayList<>();

  private boolean pastRuns;

  /**
   * Requests that wait for one answer.
   *
   * @param wanted the highest version that a request would give up; null if none
   */
  private record Asked(CompletableFuture<Progress> answer, @Nullable ResourceVersion wanted) {}

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
      Sleeper waiting,
      Executor threads,
      CountDownLatch stopped) {
    this.probe = probe;
    this.cache = cache;
    this.demands = demands;
    this.backfill = backfill;
    this.waiting = waiting;
    this.threads = threads;
    this.stopped = stopped;
  }

  @Override
  public synchronized CompletionStage<Progress> progress() {
    CompletableFuture<Progress> answer = progressAsked;
    if (answer == null) {
      answer = new CompletableFuture<>();
      progressAsked = answer;
      if (!progressRuns) {
        progressRuns = true;
        threads.execute(this::progresses);
      }
    }
    return answer;
  }

  @Override
  public synchronized CompletionStage<Progress> progress(ResourceVersion version) {
    ResourceVersion highest = wanted;
    wanted = highest == null || version.isAfter(highest) ? version : highest;
    return progress();
  }

  @Override
  public synchronized CompletionStage<Boolean> reachBack(ResourceVersion version) {
    BackfillRequest past = new BackfillRequest(version, new CompletableFuture<>());
    pastAsked.add(past);
    if (!pastRuns) {
      pastRuns = true;
      threads.execute(this::pasts);
    }
    return past.answer;
  }

  // ---- on lookup threads

  private void progresses() {
    for (var next = takeProgress(); next != null; next = takeProgress()) {
      Progress found;
      try {
        found = ask(next.wanted);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        found = new Unknown("interrupted");
      } catch (RuntimeException | Error e) {
        found = new Unknown(failed("asking for the present version", e));
      }
      next.answer.complete(found);
    }
  }

  private synchronized @Nullable Asked takeProgress() {
    CompletableFuture<Progress> answer = progressAsked;
    Asked next = answer == null ? null : new Asked(answer, wanted);
    progressAsked = null;
    wanted = null;
    progressRuns = next != null;
    return next;
  }

  private Progress ask(@Nullable ResourceVersion wanted) throws InterruptedException {
    Progress first = ask();
    if (wanted == null || !(first instanceof At) || first.has(wanted)) {
      return first;
    }
    probe.askElsewhere();
    return stopped.getCount() == 0 ? first : ask();
  }

  private Progress ask() throws InterruptedException {
    Revision head = cache.head();
    if (head == null) {
      return new Unknown("nothing is held yet");
    }
    return switch (probe.ask(head)) {
      case VersionProbe.Answered(ResourceVersion version) -> {
        if (version.isAfter(head.version()) && cache.definition().type().watchCached()) {
          demands.position();
        }
        yield new At(version);
      }
      case VersionProbe.Behind(ResourceVersion version, var _) -> {
        demands.relist("rollback", head);
        yield new At(version);
      }
      case VersionProbe.Failed(UpstreamFailure failure) -> new Unknown(failure.message());
    };
  }

  private void pasts() {
    try {
      for (List<BackfillRequest> next = collected(); !next.isEmpty(); next = collected()) {
        next.sort(Comparator.comparing(BackfillRequest::version));
        try {
          reach(next);
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
  private void reach(List<BackfillRequest> sorted) throws InterruptedException {
    int from = 0;
    for (int tries = 0; tries < TRIES && from < sorted.size() && stopped.getCount() > 0; tries++) {
      ResourceVersion oldest = sorted.get(from).version;
      if (isReached(oldest)) {
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
  private boolean isReached(ResourceVersion oldest) throws InterruptedException {
    Duration pause = COLLECTED;
    for (int attempt = 1; stopped.getCount() > 0; attempt++) {
      Backfill.Reach reached = backfill.reach(oldest);
      if (reached != Backfill.Reach.UNANSWERED) {
        return reached == Backfill.Reach.REACHED;
      }
      if (attempt == ATTEMPTS) {
        backfill.rest(oldest);
        return false;
      }
      waiting.await(stopped, pause);
      pause = pause.multipliedBy(2);
    }
    return false;
  }

  private List<BackfillRequest> collected() throws InterruptedException {
    waiting.await(stopped, COLLECTED);
    return takePasts();
  }

  private synchronized List<BackfillRequest> takePasts() {
    List<BackfillRequest> next = pastAsked;
    pastAsked = new ArrayList<>();
    pastRuns = !next.isEmpty();
    return next;
  }

  private String failed(String what, Throwable e) {
    if (stopped.getCount() > 0) {
      log.error("{}: {} failed", cache.definition().type(), what, e);
    }
    return "the gateway itself failed";
  }
}
