package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Backfill requests of the streams of one type, which share attempts. Thread-safe; at most one
 * thread runs at a time, while there are requests.
 *
 * <p>After a replica died, many clients ask for many positions at about the same time. Requests are
 * therefore collected for one second. The first attempt begins at the oldest version. If it
 * succeeds, it answers all requests. An attempt that fails answers the requests for its version and
 * older ones, at once and later ({@link Backfill#isKnownToFail}). Further attempts bisect the other
 * versions. A request that arrives during an attempt joins the next one.
 *
 * <p>A version that is too old must not spoil the newer ones, but thousands of versions cannot be
 * tried one by one: a request is given up after {@link BackfillSettings#MAX_VERSIONS} attempts, and
 * after as many attempts requests are collected again. If the apiserver does not answer, or
 * refuses, all requests are given up.
 */
final class BatchedBackfills {
  private static final Logger log = LoggerFactory.getLogger(BatchedBackfills.class);

  private final WatchCache cache;
  private final Backfill backfill;
  private final CacheMetrics metrics;
  private final ReflectorClock.Sleeper sleeper;
  private final Executor threads;
  private final CountDownLatch stopped;

  /** Requests that no attempt includes yet. */
  private List<Request> arrived = new ArrayList<>();

  /** Number of requests without an answer. */
  private int waiting;

  private boolean running;

  /** Number of attempts so far. */
  private long attempts;

  /**
   * @param lastAttempt number of the attempt after which the request is given up
   */
  private record Request(
      ResourceVersion version, long lastAttempt, CompletableFuture<Boolean> answer) {}

  /** Answer to a request, as the metrics name it. */
  private enum Answer {
    REACHED("reached"),
    NOT_AVAILABLE("not_available"),
    GIVEN_UP("given_up"),
    TOO_MANY("too_many");

    final String label;

    Answer(String label) {
      this.label = label;
    }
  }

  /**
   * @param threads runs each task on a new thread
   * @param stopped latch that ends every wait
   */
  BatchedBackfills(
      WatchCache cache,
      Backfill backfill,
      CacheMetrics metrics,
      ReflectorClock.Sleeper sleeper,
      Executor threads,
      CountDownLatch stopped) {
    this.cache = cache;
    this.backfill = backfill;
    this.metrics = metrics;
    this.sleeper = sleeper;
    this.threads = threads;
    this.stopped = stopped;
  }

  /** See {@link UpstreamLookups#backfill}. */
  synchronized CompletionStage<Boolean> request(ResourceVersion version) {
    if (backfill.isKnownToFail(version)) {
      return refused(Answer.NOT_AVAILABLE);
    }
    if (waiting == BackfillSettings.MAX_REQUESTS) {
      return refused(Answer.TOO_MANY);
    }
    if (!running) {
      threads.execute(this::run);
      running = true;
    }
    Request request =
        new Request(version, attempts + BackfillSettings.MAX_VERSIONS, new CompletableFuture<>());
    arrived.add(request);
    waiting++;
    return request.answer;
  }

  private CompletionStage<Boolean> refused(Answer answer) {
    metrics.backfillsAnswered(answer.label, 1);
    return CompletableFuture.completedStage(false);
  }

  // ---- on the thread of the attempts

  private void run() {
    List<Request> open = new ArrayList<>();
    try {
      do {
        sleeper.await(stopped, BackfillSettings.COLLECTION_TIME);
        addArrived(open);
        makeAttempts(open);
      } while (!open.isEmpty() || !hasEnded());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      do {
        open.addAll(takeArrived());
        answer(open, Answer.NOT_AVAILABLE);
      } while (!hasEnded());
    }
  }

  /**
   * Makes attempts until each request is answered, at most {@link BackfillSettings#MAX_VERSIONS}.
   * Then only requests are open that arrived meanwhile.
   */
  private void makeAttempts(List<Request> open) throws InterruptedException {
    for (int made = 0;
        made < BackfillSettings.MAX_VERSIONS && !open.isEmpty() && stopped.getCount() > 0;
        made++) {
      attempt(open.get(made == 0 ? 0 : open.size() / 2).version, open);
      if (!open.isEmpty()) {
        addArrived(open);
      }
    }
    if (stopped.getCount() == 0) {
      answer(open, Answer.NOT_AVAILABLE);
    }
  }

  private void attempt(ResourceVersion version, List<Request> open) throws InterruptedException {
    countAttempt();
    switch (extendHistoryTo(version)) {
      case REACHED -> answerIf(open, request -> !version.isAfter(request.version), Answer.REACHED);
      case VERSION_NOT_AVAILABLE ->
          answerIf(open, request -> !request.version.isAfter(version), Answer.NOT_AVAILABLE);
      case NOTHING_AVAILABLE -> answer(open, Answer.NOT_AVAILABLE);
      case UNANSWERED -> {
        backfill.blockRetries(open.getLast().version);
        answer(open, Answer.NOT_AVAILABLE);
      }
    }
  }

  /**
   * Retries while the apiserver does not answer, as it may be restarting. Ends after a bounded
   * number of retries, whatever their results, because streams with older tokens wait for the
   * result.
   */
  private Backfill.Reach extendHistoryTo(ResourceVersion version) throws InterruptedException {
    Duration pause = BackfillSettings.COLLECTION_TIME;
    try {
      Backfill.Reach reached = backfill.extendHistoryTo(version);
      for (int retry = 1;
          reached == Backfill.Reach.UNANSWERED
              && retry < BackfillSettings.MAX_ATTEMPTS
              && stopped.getCount() > 0;
          retry++) {
        sleeper.await(stopped, pause);
        pause = pause.multipliedBy(2);
        reached = backfill.extendHistoryTo(version);
      }
      return reached;
    } catch (RuntimeException | Error e) {
      if (stopped.getCount() > 0) {
        log.error(
            "{}: the backfill from version {} failed; its streams get snapshots",
            type(),
            version,
            e);
      }
      return Backfill.Reach.UNANSWERED;
    }
  }

  /** Adds the arrived requests, in order of versions, and answers those that need no attempt. */
  private void addArrived(List<Request> open) {
    open.addAll(takeArrived());
    open.sort(Comparator.comparing(Request::version));
    answerIf(open, request -> backfill.isKnownToFail(request.version), Answer.NOT_AVAILABLE);
    giveUp(open);
  }

  /** Gives up the requests that have waited for the maximum number of attempts. */
  private void giveUp(List<Request> open) {
    long made = attempts();
    List<Request> tried = answerIf(open, request -> made >= request.lastAttempt, Answer.GIVEN_UP);
    if (!tried.isEmpty()) {
      log.info(
          "{}: {} streams with positions from version {} to {} get snapshots: {} attempts of a"
              + " backfill did not reach back to them",
          type(),
          tried.size(),
          tried.getFirst().version,
          tried.getLast().version,
          BackfillSettings.MAX_VERSIONS);
    }
  }

  /** Answers all requests of the list, and removes them from it. */
  private void answer(List<Request> requests, Answer answer) {
    var _ = answerIf(requests, _ -> true, answer);
  }

  /** Answers the requests with a condition, and moves them from the list into the result. */
  private List<Request> answerIf(List<Request> open, Predicate<Request> condition, Answer answer) {
    List<Request> answered = new ArrayList<>();
    open.removeIf(request -> condition.test(request) && answered.add(request));
    if (!answered.isEmpty()) {
      countAnswered(answered.size());
      metrics.backfillsAnswered(answer.label, answered.size());
      answered.forEach(request -> request.answer.complete(answer == Answer.REACHED));
    }
    return answered;
  }

  private synchronized List<Request> takeArrived() {
    List<Request> taken = arrived;
    arrived = new ArrayList<>();
    return taken;
  }

  private synchronized boolean hasEnded() {
    running = !arrived.isEmpty();
    return !running;
  }

  private synchronized void countAttempt() {
    attempts++;
  }

  private synchronized long attempts() {
    return attempts;
  }

  private synchronized void countAnswered(int requests) {
    waiting -= requests;
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
