package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.time.Instant;
import java.util.List;

/**
 * State that the changes of a watch lead to, kept beside the cache until it is proven, that is,
 * until its digest equals the digest of a list. Not thread-safe.
 */
final class UnprovenState extends RevisionSink {
  private static final TimeSource NO_TIME = new TimeSource(() -> Instant.EPOCH, () -> 0);

  private final ResourceVersion listed;
  private final StateDigest expected;
  private final long limit;
  private Revision head;
  private long bytes;
  private boolean reachedList;

  /** Stop of the watch once all changes up to the list have arrived, or too many bytes. */
  private enum Decided implements Upstream.Stop {
    DECIDED
  }

  /**
   * @param head revision that the changes follow
   * @param listed version of the list
   * @param expected digest of the list
   * @param limit maximum of bytes of the buffered objects
   */
  UnprovenState(Revision head, ResourceVersion listed, StateDigest expected, long limit) {
    this.head = head;
    this.listed = listed;
    this.expected = expected;
    this.limit = limit;
  }

  @Override
  Revision head() {
    return head;
  }

  /**
   * Returns whether the state equals the listed state; valid once all changes up to the list are
   * there.
   */
  boolean matchesList() {
    return head.digest().equals(expected);
  }

  /** Returns whether the changes take more bytes than may be buffered; they are incomplete then. */
  boolean isTooLarge() {
    return bytes > limit;
  }

  /** Returns whether the watch has sent all changes up to the list. */
  boolean hasReachedList() {
    return reachedList;
  }

  @Override
  Upstream.SinkResult apply(ResourceVersion version, List<Change> changes) {
    if (version.isAfter(listed)) {
      return reachListed();
    }
    for (Change change : changes) {
      KubeObject now = change.now();
      bytes += now == null ? RetainedRevisions.CHANGE_BYTES : now.retainedBytes();
    }
    if (isTooLarge()) {
      return Decided.DECIDED;
    }
    head = new RevisionBuilder(head, null, NO_TIME).changes(version, changes);
    return version.equals(listed) && (matchesList() || !WatchApplier.areDeletes(changes))
        ? reachListed()
        : Upstream.SinkResult.CONTINUE;
  }

  @Override
  Upstream.SinkResult progress(ResourceVersion version) {
    if (!listed.isAfter(version)) {
      return reachListed();
    }
    advanceTo(version);
    return Upstream.SinkResult.CONTINUE;
  }

  /** Moves to the listed version after the last change before the list. */
  private Upstream.SinkResult reachListed() {
    reachedList = true;
    advanceTo(listed);
    return Decided.DECIDED;
  }

  private void advanceTo(ResourceVersion version) {
    Revision next = new RevisionBuilder(head, null, NO_TIME).progress(version);
    head = next == null ? head : next;
  }
}
