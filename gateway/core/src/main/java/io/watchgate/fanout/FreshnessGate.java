package io.watchgate.fanout;

import io.watchgate.cache.Freshness;
import io.watchgate.cache.Revision;
import io.watchgate.error.ApiException;
import io.watchgate.error.UpstreamErrors;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Gate of a snapshot whose stream asks for {@code max_staleness}. It opens for a revision that was
 * proven current, by the apiserver, at most {@code max_staleness} before the gate was created.
 * Without such a proof it requests one. Used on the event loop, which runs the stream when the
 * proof arrives.
 */
final class FreshnessGate {
  private final PhaseMachine.Context context;
  private final long madeAt;
  private int proofs;
  private boolean isProofRunning;
  private Freshness.@Nullable Unproven unproven;

  FreshnessGate(PhaseMachine.Context context) {
    this.context = context;
    this.madeAt = context.time().nanoTime();
  }

  /** Returns whether the stream has no limit. */
  boolean isAlwaysOpen() {
    return context.settings().maxStaleness() == null;
  }

  /** Returns whether the state of the revision is fresh enough. Asks for no proof. */
  boolean isOpenFor(Revision revision) {
    Duration limit = context.settings().maxStaleness();
    return limit == null
        || context.cache().proofs().stalenessNanos(revision)
            <= limit.toNanos() + (context.time().nanoTime() - madeAt);
  }

  /**
   * Returns whether the state of the revision is fresh enough; if it is not, asks for a proof of
   * the head.
   *
   * @throws ApiException TOO_STALE if it cannot be proven
   */
  boolean isOpenOrRequestProof(Revision revision) throws ApiException {
    if (isOpenFor(revision)) {
      return true;
    }
    if (isProofRunning) {
      return false;
    }
    Freshness.Unproven failed =
        unproven == null && proofs == FanoutSettings.MAX_PROOFS
            ? Freshness.Unproven.CHANGES_TOO_FAST
            : unproven;
    if (failed != null) {
      throw new ApiException(
          UpstreamErrors.tooStale(context.type().groupResource(), failed.reason()));
    }
    proofs++;
    isProofRunning = true;
    int number = proofs;
    context.stream()
        .after(FanoutSettings.PROOF_TIMEOUT, () -> onAnswer(number, Freshness.Unproven.NO_ANSWER));
    var _ =
        context
            .cache()
            .proveFresh()
            .thenAccept(found -> context.stream().execute(() -> onAnswer(number, found)));
    return false;
  }

  /**
   * @param number number of the proof; only the last one counts
   */
  private void onAnswer(int number, Freshness found) {
    if (number == proofs && isProofRunning) {
      isProofRunning = false;
      unproven = found instanceof Freshness.Unproven failed ? failed : null;
      context.stream().runOnce();
    }
  }
}
