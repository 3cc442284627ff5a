package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.select.FieldRequirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * Cached SubjectAccessReview of the apiserver ({@link ReviewCacheSettings}). Thread-safe; blocks.
 */
final class Authorizer {
  private static final int BATCH_SIZE = 8;

  private final AuthSettings.Authorization mode;
  private final AccessReviewer reviewer;
  private final AccessReviewer rechecker;
  private final Executor threads;
  private final AuthMetrics metrics;
  private final ReviewCache<Question, Boolean> cache;

  private record Question(UserInfo identity, AccessAttributes access) {
    /** Estimate of a Java string beside its characters. */
    private static final int STRING_BYTES = 56;

    /** Returns the weight of a question in the cache, in KiB; callers determine its length. */
    int weight() {
      Stream<String> texts =
          switch (access) {
            case AccessAttributes.NonResourceAccess(String path) -> Stream.of(path);
            case AccessAttributes.ResourceAccess objects ->
                Stream.concat(
                    objects.fields().stream().map(FieldRequirement::toString),
                    objects.labels().stream()
                        .flatMap(
                            label ->
                                Stream.concat(Stream.of(label.key()), label.values().stream())));
          };
      return 1 + texts.mapToInt(text -> text.length() + STRING_BYTES).sum() / 1024;
    }
  }

  /**
   * Creates an authorizer.
   *
   * @param rechecker reviewer for open streams, which must not wait behind new calls
   * @param threads runs each question on a virtual thread of its own
   */
  Authorizer(
      AuthSettings.Authorization mode,
      AccessReviewer reviewer,
      AccessReviewer rechecker,
      TimeSource time,
      Executor threads,
      AuthMetrics metrics) {
    this.mode = mode;
    this.reviewer = reviewer;
    this.rechecker = rechecker;
    this.threads = threads;
    this.metrics = metrics;
    this.cache =
        new ReviewCache<>(
            time,
            threads,
            allowed -> allowed ? ReviewCacheSettings.ALLOWED_TTL : ReviewCacheSettings.DENIED_TTL,
            Question::weight);
  }

  /** Returns the first of these accesses that is denied; empty: all are allowed. */
  Optional<AccessAttributes> denied(UserInfo identity, List<AccessAttributes> accesses)
      throws ReviewUnavailableException, InterruptedException {
    return denied(
        identity, accesses, question -> cache.get(question, () -> ask(reviewer, question)));
  }

  /**
   * Returns the verdict by cached answers alone; empty: the apiserver would have to be asked. Does
   * not block.
   */
  Optional<Verdict> cachedVerdict(UserInfo identity, List<AccessAttributes> accesses) {
    if (mode == AuthSettings.Authorization.NONE) {
      return Optional.of(Verdict.ALLOWED);
    }
    for (AccessAttributes access : accesses) {
      Optional<Boolean> allowed = cache.getIfCached(new Question(identity, access));
      if (allowed.isEmpty()) {
        return Optional.empty();
      }
      if (!allowed.get()) {
        return Optional.of(new Verdict(Optional.of(access)));
      }
    }
    return Optional.of(Verdict.ALLOWED);
  }

  /**
   * Verdict on a list of accesses.
   *
   * @param denied the first access that is denied; empty: all are allowed
   */
  record Verdict(Optional<AccessAttributes> denied) {
    static final Verdict ALLOWED = new Verdict(Optional.empty());
  }

  /**
   * Returns the first denied access, by questions that were asked at that moment, in {@code
   * nanoTime}, or later.
   */
  Optional<AccessAttributes> deniedSince(
      long since, UserInfo identity, List<AccessAttributes> accesses)
      throws ReviewUnavailableException, InterruptedException {
    return denied(
        identity,
        accesses,
        question -> cache.getSince(since, question, () -> ask(rechecker, question)));
  }

  private interface Answers {
    boolean to(Question question) throws ReviewUnavailableException, InterruptedException;
  }

  /**
   * Asks in batches, so that a caller that may not read the first of 64 namespaces does not cause a
   * review of all of them.
   */
  private Optional<AccessAttributes> denied(
      UserInfo identity, List<AccessAttributes> accesses, Answers answers)
      throws ReviewUnavailableException, InterruptedException {
    if (mode == AuthSettings.Authorization.NONE) {
      return Optional.empty();
    }
    for (int from = 0; from < accesses.size(); from += BATCH_SIZE) {
      int to = Math.min(accesses.size(), from + BATCH_SIZE);
      Optional<AccessAttributes> denied =
          deniedInBatch(identity, accesses.subList(from, to), answers);
      if (denied.isPresent()) {
        return denied;
      }
    }
    return Optional.empty();
  }

  private Optional<AccessAttributes> deniedInBatch(
      UserInfo identity, List<AccessAttributes> accesses, Answers answers)
      throws ReviewUnavailableException, InterruptedException {
    List<CompletableFuture<Boolean>> pending = new ArrayList<>();
    for (AccessAttributes access : accesses) {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      pending.add(answer);
      threads.execute(
          () -> {
            try {
              answer.complete(answers.to(new Question(identity, access)));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              answer.completeExceptionally(
                  new ReviewUnavailableException("the gateway shuts down"));
            } catch (ReviewUnavailableException | RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    }
    Optional<ReviewUnavailableException> unanswered = Optional.empty();
    for (int i = 0; i < pending.size(); i++) {
      try {
        if (!pending.get(i).get()) {
          return Optional.of(accesses.get(i));
        }
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof ReviewUnavailableException failure)) {
          throw new IllegalStateException(e.getCause());
        }
        unanswered = Optional.of(failure);
      }
    }
    if (unanswered.isPresent()) {
      throw new ReviewUnavailableException(
          String.valueOf(unanswered.get().getMessage()), unanswered.get().remedy());
    }
    return Optional.empty();
  }

  private boolean ask(AccessReviewer through, Question question)
      throws ReviewUnavailableException, InterruptedException {
    try {
      boolean allowed = through.isAllowed(question.identity, question.access);
      metrics.accessReviewed(allowed ? AuthMetrics.Answer.YES : AuthMetrics.Answer.NO);
      return allowed;
    } catch (ReviewUnavailableException e) {
      metrics.accessReviewed(AuthMetrics.Answer.NONE);
      throw e;
    }
  }

  /** Drops the cached answers about these subjects. */
  void invalidate(AffectedSubjects concerned) {
    cache.invalidate(question -> concerned.contains(question.identity));
  }

  /** Returns the number of cached answers. */
  long cachedAnswers() {
    return cache.cachedAnswers();
  }
}
