package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ListOptions.InitialEvents;
import java.util.Objects;

/** How a watch begins. */
sealed interface HttpWatchStart {
  /** It can begin. */
  sealed interface Position extends HttpWatchStart {}

  /** With all objects, as they were there. */
  record WithState(Revision revision) implements Position {}

  /**
   * With the changes after a revision.
   *
   * @param known nothing up to this version is sent; it may lie in the future
   */
  record After(Revision revision, ResourceVersion known) implements Position {}

  /** It cannot, which an apiserver says within the stream. */
  record Refused(StatusException refusal) implements HttpWatchStart {}

  /** It ends before anything was said. */
  enum Over implements HttpWatchStart {
    OVER
  }

  /**
   * Finds the start that is asked for. May wait.
   *
   * @throws StatusException for what is refused before a stream begins
   */
  static HttpWatchStart find(
      ListOptions options, RequestedVersion version, WatchCache cache, HttpVersionWait wait)
      throws StatusException, InterruptedException {
    boolean fromVersion = version instanceof RequestedVersion.At;
    if (fromVersion && options.initialEvents() != InitialEvents.WANTED) {
      return after(((RequestedVersion.At) version).version(), cache, wait);
    }
    try {
      Revision head = wait.head(version);
      return options.initialEvents() == InitialEvents.NONE
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
    Revision head = wait.head(RequestedVersion.Any.ANY);
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
