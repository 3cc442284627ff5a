package io.watchgate.fanout;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Freshness;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.UpstreamErrors;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Wait of a call, on its own thread, until a cache has the requested version. */
public final class VersionWait {
  private final WatchCache cache;
  private final FanoutSettings timeouts;

  /**
   * @param timeouts timeouts, the same as for a stream
   */
  public VersionWait(WatchCache cache, FanoutSettings timeouts) {
    this.cache = cache;
    this.timeouts = timeouts;
  }

  /**
   * Returns the newest revision, once it has reached {@code minimum}. If it is not reached in time,
   * the apiserver is asked for its version. A version of a list, or of another type, may exist
   * without a change of this type.
   *
   * @throws ApiException STARTING or BEHIND after the wait, or at once if there will be no revision
   */
  public Revision awaitHead(@Nullable ResourceVersion minimum)
      throws ApiException, InterruptedException {
    Semaphore signal = new Semaphore(0);
    Runnable listener = signal::release;
    cache.addListener(listener);
    try {
      long proofAt = System.nanoTime() + FanoutSettings.PROOF_DELAY.toNanos();
      long end = System.nanoTime() + timeouts.positionTimeout().toNanos();
      CompletableFuture<UpstreamLookups.Progress> lookup = null;
      boolean proofRequested = false;
      while (true) {
        signal.drainPermits();
        Revision head = cache.head();
        if (head != null && (minimum == null || cache.proofs().hasReached(minimum))) {
          return head;
        }
        refuseIfEnded(head);
        if (lookup != null
            && lookup.isDone()
            && !(minimum == null || lookup.join().hasReached(minimum))) {
          throw new ApiException(timedOut(head, minimum));
        }
        // A type that changes all the time must not postpone the proof or the end: both have a
        // time.
        boolean needsProof = minimum != null && head != null && !proofRequested;
        long now = System.nanoTime();
        if (needsProof && now - proofAt >= 0) {
          // A change of this type arrives at once; a version of another type comes with none.
          proofRequested = true;
          var _ = cache.proveFresh().thenRun(listener);
        } else if (now - end >= 0) {
          if (head == null || lookup != null) {
            throw new ApiException(timedOut(head, minimum));
          }
          end = now + timeouts.upstreamLookupTimeout().toNanos();
          lookup = cache.upstreamLookups().requestProgress().toCompletableFuture();
          var _ = lookup.thenRun(listener);
        } else {
          long wait = needsProof ? Math.min(proofAt - now, end - now) : end - now;
          boolean woken = signal.tryAcquire(wait, NANOSECONDS);
          assert woken || System.nanoTime() - now >= wait;
        }
      }
    } finally {
      cache.removeListener(listener);
    }
  }

  /**
   * Returns the newest revision, once it has reached {@code minimum} and the apiserver has proven
   * it current as of a moment at most {@code maxStaleness} before this call.
   *
   * @throws ApiException as {@link #awaitHead}; TOO_STALE if it is not proven
   */
  public Revision awaitFresh(@Nullable ResourceVersion minimum, Duration maxStaleness)
      throws ApiException, InterruptedException {
    long calledAt = System.nanoTime();
    for (int proofs = 0; ; proofs++) {
      Revision head = awaitHead(minimum);
      long staleness = cache.proofs().stalenessNanos(head); // before the other reading of the clock
      if (staleness <= maxStaleness.toNanos() + System.nanoTime() - calledAt) {
        return head;
      }
      Duration left =
          FanoutSettings.PROOF_TIMEOUT.minusNanos(System.nanoTime() - calledAt); // of all proofs
      Freshness found =
          proofs == FanoutSettings.MAX_PROOFS ? Freshness.Unproven.CHANGES_TOO_FAST : prove(left);
      if (found instanceof Freshness.Unproven(String reason)) {
        throw new ApiException(
            UpstreamErrors.tooStale(cache.definition().type().groupResource(), reason));
      }
    }
  }

  private Freshness prove(Duration within) throws InterruptedException {
    if (!within.isPositive()) {
      return Freshness.Unproven.NO_ANSWER;
    }
    try {
      return cache.proveFresh().toCompletableFuture().get(within.toNanos(), NANOSECONDS);
    } catch (TimeoutException e) {
      return Freshness.Unproven.NO_ANSWER;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a proof always completes normally", e);
    }
  }

  private void refuseIfEnded(@Nullable Revision head) throws ApiException {
    UpstreamState upstream = cache.upstreamState();
    if (upstream.phase().isEnd()) {
      throw new ApiException(CacheErrors.of(cache.definition().type(), upstream));
    }
    UpstreamFailure failure = upstream.failure();
    if (head == null && failure != null) {
      ApiResource type = cache.definition().type();
      throw new ApiException(
          failure.needsAdministrator()
              ? UpstreamErrors.gatewayMayNotList(
                  type.groupResource(), failure.message(), failure.remedy(type))
              : UpstreamErrors.notListed(type.groupResource(), failure.message()));
    }
  }

  private ApiError timedOut(@Nullable Revision head, @Nullable ResourceVersion minimum) {
    String type = cache.definition().type().groupResource();
    return head == null
        ? UpstreamErrors.loading(type)
        : UpstreamErrors.listBehind(String.valueOf(minimum), type, head.version().toString());
  }
}
