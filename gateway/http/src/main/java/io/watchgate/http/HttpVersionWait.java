package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.VersionWait;
import java.time.Duration;

/** Wait of a request, on its own thread, until a cache has the requested version. */
final class HttpVersionWait {
  private final WatchCache cache;
  private final VersionWait wait;

  HttpVersionWait(WatchCache cache, FanoutSettings settings) {
    this.cache = cache;
    this.wait = new VersionWait(cache, settings);
  }

  /**
   * Returns a revision that is as recent as requested.
   *
   * @throws StatusException 429 if there is no state yet, or none that is proven; 504 if the
   *     version is not reached
   */
  Revision awaitHead(RequestedVersion version) throws StatusException, InterruptedException {
    try {
      return switch (version) {
        case RequestedVersion.Unset _ -> wait.awaitFresh(null, Duration.ZERO);
        case RequestedVersion.Any _ -> wait.awaitHead(null);
        case RequestedVersion.At at -> wait.awaitHead(at.version());
      };
    } catch (ApiException e) {
      Revision head = cache.head();
      throw version instanceof RequestedVersion.At at && head != null
          ? StatusErrors.versionTooLarge(at.version(), head.version())
          : StatusErrors.loading();
    }
  }

  /**
   * Returns the version of a response with the state of a revision: the latest version with an
   * equal state.
   *
   * @param version version for which {@link #awaitHead} returned the revision
   * @throws StatusException 504 if the revision is no longer known to be the state at the requested
   *     version: another one was proven meanwhile, or the history is in doubt
   */
  ResourceVersion versionOf(Revision revision, RequestedVersion version) throws StatusException {
    ResourceVersion minimum = version instanceof RequestedVersion.At at ? at.version() : null;
    ResourceVersion latest = cache.proofs().latestVersion(revision);
    if (minimum != null && minimum.isAfter(latest)) {
      throw StatusErrors.versionTooLarge(minimum, latest);
    }
    return latest;
  }
}
