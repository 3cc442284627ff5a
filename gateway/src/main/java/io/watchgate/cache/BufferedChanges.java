package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of a watch that are held back from the cache until the state that they lead to is known
 * to be the apiserver's: its digest is that of a list. They are released in one step, as no state
 * in between is proven. Not thread-safe.
 */
final class BufferedChanges implements RevisionSink {
  private static final TimeSource NO_TIME = new TimeSource(() -> Instant.EPOCH, () -> 0);

  private final ResourceVersion listed;
  private final StateDigest expected;
  private final long limit;
  private final List<Change> made = new ArrayList<>();
  private Revision head;
  private long bytes;

  /** Thrown out of the watch once the changes up to the list are there, or too many. */
  static final class Decided extends RuntimeException {
    private static final long serialVersionUID = 1;

    Decided() {
      super("what was listed is reached or passed", null, false, false);
    }
  }

  /**
   * @param head the state that the changes follow on
   * @param listed the version of the list
   * @param expected the digest of the list
   * @param limit the most bytes that objects held back may occupy
   */
  BufferedChanges(Revision head, ResourceVersion listed, StateDigest expected, long limit) {
    this.head = head;
    this.listed = listed;
    this.expected = expected;
    this.limit = limit;
  }

  @Override
  public Revision head() {
    return head;
  }

  /** Whether the state is the one that was listed, once all changes up to the list are there. */
  boolean isAsListed() {
    return head.digest().equals(expected);
  }

  @Override
  public void apply(ResourceVersion version, List<Change> changes) {
    if (version.isAfter(listed)) {
      throw decided();
    }
    for (Change change : changes) {
      KubeObject now = change.now();
      bytes += now == null ? History.CHANGE_BYTES : now.retainedBytes();
    }
    if (bytes > limit) {
      throw new Decided();
    }
    head = new RevisionBuilder(head, null, NO_TIME).changes(version, changes);
    made.addAll(changes);
    if (version.equals(listed)) {
      throw decided();
    }
  }

  @Override
  public void progress(ResourceVersion version) {
    if (!listed.isAfter(version)) {
      throw decided();
    }
    goOnTo(version);
  }

  /** All changes up to the list are there. */
  private Decided decided() {
    goOnTo(listed);
    return new Decided();
  }

  private void goOnTo(ResourceVersion version) {
    Revision next = new RevisionBuilder(head, null, NO_TIME).progress(version);
    head = next == null ? head : next;
  }

  /** The changes become the cache's. Called by its writer. */
  void release(RevisionSink cache) {
    cache.apply(head.version(), List.copyOf(made));
  }
}
