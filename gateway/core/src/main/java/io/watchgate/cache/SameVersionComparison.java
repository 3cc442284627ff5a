package io.watchgate.cache;

import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Comparison of a cached state with the apiserver's state at the same version: a list of all
 * metadata, whose digest has to be equal. A difference counts once a second list, a second later
 * and over another connection, confirms it. Thread-safe.
 */
final class SameVersionComparison {
  private static final Logger log = LoggerFactory.getLogger(SameVersionComparison.class);

  private final Upstream upstream;
  private final WatchCache cache;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;

  /**
   * @param cache cache of the compared state: its skipped objects are left out
   * @param stopped latch that ends every wait
   */
  SameVersionComparison(
      Upstream upstream, WatchCache cache, ReflectorClock.Sleeper sleeper, CountDownLatch stopped) {
    this.upstream = upstream;
    this.cache = cache;
    this.sleeper = sleeper;
    this.stopped = stopped;
  }

  /** Result of a comparison. */
  sealed interface Outcome {}

  record Equal() implements Outcome {}

  /**
   * Outcome for a state of the apiserver that differs at the same version.
   *
   * @param objects number of objects that the apiserver has at that version
   * @param digest digest of these objects
   */
  record Different(long objects, StateDigest digest) implements Outcome {}

  /** Outcome for a version that the apiserver does not know any more. */
  record VersionExpired() implements Outcome {}

  /** Outcome for an apiserver that listed another version, or refuses to list an exact one. */
  record OtherVersionListed() implements Outcome {}

  record Failed(UpstreamFailure failure) implements Outcome {}

  /** Compares {@code held} with the apiserver's state at its version. */
  Outcome compare(Revision held) throws InterruptedException {
    Outcome first = compareOnce(held);
    if (!(first instanceof Different)) {
      return first;
    }
    upstream.reconnect();
    sleeper.await(stopped, HistoryProofSettings.CONFIRMATION_DELAY);
    if (stopped.getCount() == 0) {
      return new Failed(new UpstreamFailure.Transport("closed by the gateway"));
    }
    return compareOnce(lastOfVersion(held));
  }

  /** Returns the last revision of the version; {@code held} may be in the middle of its deletes. */
  private static Revision lastOfVersion(Revision held) {
    Revision last = held;
    for (Revision next = held.next();
        next != null && next.version().equals(held.version());
        next = next.next()) {
      last = next;
    }
    return last;
  }

  /** Logs a difference, because of which the type is listed again. */
  void log(Revision held, Different difference) {
    log.warn(
        "{}: the state held at version {} ({} objects) differs from the apiserver's ({} objects);"
            + " listing again",
        cache.definition().type(),
        held.version(),
        held.state().size(),
        difference.objects());
  }

  private Outcome compareOnce(Revision held) {
    MetadataDigest sum = new MetadataDigest(cache.skipped());
    String version = held.version().digits();
    return switch (upstream.listAt(version, Upstream.Content.METADATA, sum)) {
      case Upstream.ListFailed(UpstreamFailure.Expired _) -> new VersionExpired();
      case Upstream.ListFailed(UpstreamFailure.BadRequest _) -> new OtherVersionListed();
      case Upstream.ListFailed(UpstreamFailure failure) -> new Failed(failure);
      case Upstream.Listed(String listed) when !listed.equals(version) -> new OtherVersionListed();
      case Upstream.Listed _ ->
          sum.digest().equals(held.digest())
              ? new Equal()
              : new Different(sum.count(), sum.digest());
    };
  }
}
