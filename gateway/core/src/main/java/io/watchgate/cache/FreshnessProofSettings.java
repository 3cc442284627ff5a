package io.watchgate.cache;

import java.time.Duration;

/**
 * Limits and waits of the proofs of freshness that a stream or a list asks for.
 *
 * @param maxListed number of objects up to which a proof lists the metadata of all: about 1 MiB. A
 *     larger type is proven by its version, or by a brief watch
 * @param timeout longest wait for the events that lead to the listed state
 * @param catchUpTime longest wait for a version that a changing type reaches within milliseconds; a
 *     type that has not changed for this long is not waited for
 * @param listInterval average interval between the lists of a type while requests keep asking. Two
 *     may follow each other sooner, so that one request, or one crowd, does not wait
 * @param minListInterval minimum interval between two successive lists. Requests that arrive during
 *     the first list share the second one
 * @param versionInterval shortest interval between the proofs of a larger type
 */
public record FreshnessProofSettings(
    int maxListed,
    Duration timeout,
    Duration catchUpTime,
    Duration listInterval,
    Duration minListInterval,
    Duration versionInterval) {
  public static final int DEFAULT_MAX_LISTED = 2_000;

  static final FreshnessProofSettings DEFAULTS =
      new FreshnessProofSettings(
          DEFAULT_MAX_LISTED,
          /* timeout= */ Duration.ofSeconds(3),
          /* catchUpTime= */ Duration.ofMillis(500),
          /* listInterval= */ Duration.ofMillis(350),
          /* minListInterval= */ Duration.ofMillis(150),
          /* versionInterval= */ Duration.ofMillis(40));

  public FreshnessProofSettings withMaxListed(int objects) {
    return new FreshnessProofSettings(
        objects, timeout, catchUpTime, listInterval, minListInterval, versionInterval);
  }
}
