package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.UpstreamLookups;
import org.jspecify.annotations.Nullable;

/**
 * How far the apiserver has come, looked up for one stream because its cache cannot tell. Used on
 * the stream's owner, which is given a turn when there is an answer.
 */
final class UpstreamVersionLookup {
  private final StreamContext context;
  private boolean asked;
  private UpstreamLookups.@Nullable Progress found;

  UpstreamVersionLookup(StreamContext context) {
    this.context = context;
  }

  /**
   * Null while it is being asked, which the first call begins.
   *
   * @param wanted the version that is given up if the apiserver has not come to it
   */
  UpstreamLookups.@Nullable Progress look(ResourceVersion wanted) {
    if (!asked) {
      asked = true;
      var _ = context.cache().inquiries().progress(wanted).thenAccept(this::answered);
    }
    return found;
  }

  private void answered(UpstreamLookups.Progress progress) {
    context.stream()
        .execute(
            () -> {
              found = progress;
              context.stream().turn();
            });
  }

  /**
   * Whether the apiserver is known to be before {@code version}: then that is of another history,
   * for nobody is ahead of it. Asks nothing.
   */
  boolean isBefore(ResourceVersion version) {
    return found instanceof UpstreamLookups.At(ResourceVersion at) && version.isAfter(at);
  }

  /** An apiserver that did not answer may be asked once more. */
  void askAgainIfUnknown() {
    if (found instanceof UpstreamLookups.Unknown) {
      asked = false;
      found = null;
    }
  }
}
