package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Comparison of a held state with the apiserver's at the same version: a list of all metadata, of
 * which the digest has to be equal. A difference counts once a second list, a second later and over
 * another connection, shows it too. Thread-safe.
 */
final class Comparison {
  /** Time between two questions whose first answer would cost a history. */
  static final Duration ASK_AGAIN = Duration.ofSeconds(1);

  private final Upstream upstream;
  private final SkippedObjects skipped;
  private final Waiting waiting;
  private final CountDownLatch stopped;

  /**
   * @param skipped objects that the held state does not have
   * @param stopped ends every wait
   */
  Comparison(Upstream upstream, SkippedObjects skipped, Waiting waiting, CountDownLatch stopped) {
    this.upstream = upstream;
    this.skipped = skipped;
    this.waiting = waiting;
    this.stopped = stopped;
  }

  /** Result of a comparison. */
  sealed interface Outcome {}

  record Equal() implements Outcome {}

  /**
   * @param objects how many the apiserver has at that version
   */
  record Different(long objects) implements Outcome {}

  /** The apiserver does not know the version any more. */
  record Forgotten() implements Outcome {}

  /** The apiserver listed another version, or refuses to list an exact one. */
  record Inexact() implements Outcome {}

  record Failed(UpstreamFailure failure) implements Outcome {}

  /** Compares {@code held} with what the apiserver has at its version. */
  Outcome with(Revision held) throws InterruptedException {
    Outcome first = once(held);
    if (!(first instanceof Different)) {
      return first;
    }
    upstream.reconnect();
    waiting.await(stopped, ASK_AGAIN);
    return stopped.getCount() == 0
        ? new Failed(new UpstreamFailure.Transport("closed from here"))
        : once(held);
  }

  private Outcome once(Revision held) {
    MetadataSum sum = new MetadataSum(skipped);
    String version = held.version().digits();
    return switch (upstream.listAt(version, Upstream.Content.METADATA, sum)) {
      case Upstream.ListFailed(UpstreamFailure.Expired _) -> new Forgotten();
      case Upstream.ListFailed(UpstreamFailure.BadRequest _) -> new Inexact();
      case Upstream.ListFailed(UpstreamFailure failure) -> new Failed(failure);
      case Upstream.Listed(String listed) when !listed.equals(version) -> new Inexact();
      case Upstream.Listed _ ->
          sum.digest().equals(held.digest()) ? new Equal() : new Different(sum.count());
    };
  }
}
