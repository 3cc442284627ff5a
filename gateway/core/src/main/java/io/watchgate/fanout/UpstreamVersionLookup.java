package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.UpstreamLookups;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous look-up of the apiserver's version for one stream, because its cache cannot know.
 * Used on the event loop, which runs the stream when the answer arrives.
 */
final class UpstreamVersionLookup {
  private final PhaseMachine.Context context;
  private boolean isRequested;
  private UpstreamLookups.@Nullable Progress found;

  UpstreamVersionLookup(PhaseMachine.Context context) {
    this.context = context;
  }

  /**
   * Returns the progress of the apiserver; null while it is being looked up. The first call starts
   * the look-up.
   *
   * @param wanted version that the stream gives up if the apiserver has not reached it
   */
  UpstreamLookups.@Nullable Progress lookUp(ResourceVersion wanted) {
    if (!isRequested) {
      isRequested = true;
      var _ = context.cache().upstreamLookups().requestProgress(wanted).thenAccept(this::onAnswer);
    }
    return found;
  }

  private void onAnswer(UpstreamLookups.Progress progress) {
    context.stream()
        .execute(
            () -> {
              found = progress;
              context.stream().runOnce();
            });
  }

  /**
   * Returns whether the apiserver is known to be before {@code version}. The version is then of
   * another timeline, because no replica is ahead of the apiserver. Starts no look-up.
   */
  boolean isBefore(ResourceVersion version) {
    return found instanceof UpstreamLookups.At(ResourceVersion at) && version.isAfter(at);
  }

  /** Allows another look-up if the apiserver did not answer. */
  void retryIfUnknown() {
    if (found instanceof UpstreamLookups.Unknown) {
      isRequested = false;
      found = null;
    }
  }
}
