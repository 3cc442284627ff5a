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
 * Asks upstream what the streams of one type want to know. At most two threads at a time, one for
 * each kind of question: who asks while one is under way waits for the next, together with all
 * others.
 *
 * <p>A storm of clients, after a replica died, asks for many positions at about the same time: what
 * is fetched of the past is therefore collected for a second and then begins at the oldest that can
 * be had.
 */
final class BatchedUpstreamLookups implements UpstreamLookups {
  private static final Logger log = LoggerFactory.getLogger(BatchedUpstreamLookups.class);

  /** As much as clients of one event are apart. */
  private static final Duration COLLECTED = Duration.ofSeconds(1);

  /** Versions that one collection tries to begin at. */
  private static final int TRIES = 4;

  /** Requests for one version while the apiserver does not answer: 7 s of waits in all. */
  private static final int ATTEMPTS = 4;

  private final VersionProbe probe;
  private final WatchCache cache;
  private final ReflectorCommands demands;
  private final Backfill backfill;
  private final Sleeper waiting;
  private final Executor threads;
  private final CountDownLatch stopped;

  /** Those who asked and are not being answered yet; null: nobody. Guarded by this. */
  private @Nullable CompletableFuture<Progress> progressAsked;

  /** The highest version that those wait for; null: none. Guarded by this. */
  private @Nullable ResourceVersion wanted;

  private boolean progressRuns;
  private List<BackfillRequest> pastAsked = new ArrayList<>();

  private boolean pastRuns;

  /**
   * Those who wait for one answer.
   *
   * @param wanted the highest version that one of them would give up; null: none
   */
  private record Asked(CompletableFuture<Progress> answer, @Nullable ResourceVersion wanted) {}

  private record BackfillRequest(ResourceVersion version, CompletableFuture<Boolean> answer) {}

  /**
   * @param threads one a task
   * @param stopped ends every wait
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

  // ---- on threads of its own

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
          next.forEach(past -> past.answer.complete(false)); // those that have none yet
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * From the oldest that can be had: one that is too old is not to cost the others theirs, nor is
   * each of thousands to be tried.
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
   * Asks again while the apiserver does not answer, as it may be restarting. Ends after a bounded
   * number of attempts, whatever their results: streams with older tokens wait for this.
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
