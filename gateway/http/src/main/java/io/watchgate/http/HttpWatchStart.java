package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ListOptions.InitialEvents;
import java.util.Objects;

/** Start of a watch, or the reason why it cannot start. */
sealed interface HttpWatchStart {
  /** Start that sends frames. */
  sealed interface Position extends HttpWatchStart {}

  /** Start with all objects of a revision. */
  record WithState(Revision revision) implements Position {}

  /**
   * Start with the changes after a revision.
   *
   * @param known version up to which no change is sent; it may be in the future
   */
  record After(Revision revision, ResourceVersion known) implements Position {}

  /** Refusal that an apiserver sends within the stream. */
  record Refused(StatusException refusal) implements HttpWatchStart {}

  /** End of the stream without any frame. */
  enum Over implements HttpWatchStart {
    OVER
  }

  /**
   * Returns the requested start. May wait.
   *
   * @throws StatusException for requests that are refused before a stream begins
   */
  static HttpWatchStart find(
      ListOptions options, RequestedVersion version, WatchCache cache, HttpVersionWait wait)
      throws StatusException, InterruptedException {
    boolean fromVersion = version instanceof RequestedVersion.At;
    if (fromVersion && options.start().initialEvents() != InitialEvents.WANTED) {
      return after(((RequestedVersion.At) version).version(), cache, wait);
    }
    try {
      Revision head = wait.awaitHead(version);
      return options.start().initialEvents() == InitialEvents.NONE
          ? new After(head, head.version())
          : new WithState(head);
    } catch (StatusException e) {
      if (e.code() == 504) {
        return new Refused(e);
      }
      throw e;
    }
  }

  private static HttpWatchStart after(
      ResourceVersion version, WatchCache cache, HttpVersionWait wait)
      throws StatusException, InterruptedException {
    Revision head = wait.awaitHead(RequestedVersion.Any.ANY);
    if (version.isAfter(head.version())) {
      return new After(head, version);
    }
    Revision revision = cache.floor(version);
    if (revision == null || head.hasGapSince(revision)) {
      Revision oldest = Objects.requireNonNullElse(cache.oldest(), head);
      return new Refused(
          StatusErrors.expired(
              "too old resource version: %s (%s)".formatted(version, oldest.version())));
    }
    return new After(revision, version);
  }
}
