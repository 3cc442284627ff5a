package io.watchgate.cache;

/**
 * Choice between a streaming list and paged lists, by the failures of streaming lists. A server
 * that does not support them is asked for paged lists for {@link
 * BackoffSettings#streamingListPause}; one that fails at them {@link
 * BackoffSettings#STREAMING_ATTEMPTS} times in a row is asked for paged lists until one works. Used
 * by the reflector's thread only.
 */
final class StreamingListPolicy {
  private final BackoffSettings settings;
  private final TimeSource time;
  private long notBefore;
  private int failures;

  StreamingListPolicy(BackoffSettings settings, TimeSource time) {
    this.settings = settings;
    this.time = time;
    this.notBefore = time.nanoTime();
  }

  /** Returns whether the next list may be a streaming list. */
  boolean isAllowed() {
    return failures < BackoffSettings.STREAMING_ATTEMPTS && time.nanoTime() - notBefore >= 0;
  }

  /** Records a list that was published. */
  void recordList() {
    failures = 0;
  }

  /** Begins a pause: the server does not support streaming lists. */
  void pause() {
    notBefore = time.nanoTime() + settings.streamingListPause().toNanos();
  }

  /**
   * Counts a failure of a streaming list, if it is an answer of the server. Returns whether paged
   * lists follow from now on.
   */
  boolean givesUpAfter(UpstreamFailure failure) {
    return switch (failure) {
      case UpstreamFailure.ServerError _,
          UpstreamFailure.NotYetReached _,
          UpstreamFailure.Malformed _ ->
          ++failures == BackoffSettings.STREAMING_ATTEMPTS;
      default -> false;
    };
  }
}
