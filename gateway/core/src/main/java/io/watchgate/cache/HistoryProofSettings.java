package io.watchgate.cache;

import java.time.Duration;

/**
 * Limits of the comparisons of a state with that of the apiserver, to prove that a history
 * continues; see {@link HistoryProof}.
 */
final class HistoryProofSettings {
  /**
   * Maximum number of types that are compared with the apiserver at a time after connections were
   * lost. Each comparison lists all metadata of a type, and the loss of an apiserver interrupts all
   * types at once.
   */
  static final int MAX_TYPES = 4;

  /**
   * Time after which a comparison no longer counts for {@link #MAX_TYPES}: lists that hang must not
   * block other types until their timeout.
   */
  static final Duration PERMIT_TIME = Duration.ofSeconds(5);

  /**
   * Longest time without a watch after which no proof of the timeline is needed: a restore takes
   * longer. A watch that ended at its time is followed by the next within milliseconds.
   */
  static final Duration MAX_UNWATCHED = Duration.ofSeconds(5);

  /**
   * Number of objects above which a watch of {@link #REFUSAL_WATCH} tests for a refusal before the
   * metadata is listed, because that list would be expensive.
   */
  static final int LARGE = 500;

  /** Duration of that watch: a refusal arrives at its beginning. */
  static final Duration REFUSAL_WATCH = Duration.ofSeconds(1);

  /**
   * Maximum of bytes of changes that are buffered during a comparison; above it the proof is given
   * up.
   */
  static final long MAX_BUFFERED_BYTES = 16L << 20;

  /** Wait between two requests if the first answer would end a history. */
  static final Duration CONFIRMATION_DELAY = Duration.ofSeconds(1);

  private HistoryProofSettings() {}
}
