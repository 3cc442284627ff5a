package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Revisions that lead up to the oldest revision of a cache. They are complete once the apiserver's
 * watch has delivered a change or a bookmark at the version of that revision or a later one. They
 * are trusted if the state at this version equals the cached state. Not thread-safe.
 */
final class BackfilledRevisions extends RevisionSink {
  /** Used only for revisions that {@link #revisions} replaces. */
  private static final TimeSource NO_TIME = new TimeSource(() -> Instant.EPOCH, () -> 0);

  private final Revision oldest;
  private final long limit;
  private final List<Revision> chain = new ArrayList<>();

  /**
   * The end of the chain so far: the last revision that was made, or the equivalent of the oldest
   * cached revision.
   */
  private Revision end;

  /** Bytes of objects that the oldest cached revision does not contain. */
  private long ownBytes;

  /** Stop of the watch once it has reached the oldest cached revision. */
  enum Complete implements Upstream.Stop {
    COMPLETE
  }

  /**
   * Stop of the watch because its revisions cannot be retained.
   *
   * @param outcome label for metrics
   */
  record CannotBackfill(String outcome, String message) implements Upstream.Stop {}

  /**
   * Creates a chain of one revision.
   *
   * @param base state at {@code version}
   * @param oldest revision that the chain has to lead to
   * @param limit maximum of bytes that the chain may keep reachable
   */
  BackfilledRevisions(ResourceVersion version, StateMap base, Revision oldest, long limit) {
    this.oldest = oldest;
    this.limit = limit;
    this.end =
        new RevisionBuilder(null, null, NO_TIME).list(version, base, HistoryConfidence.TRUSTED);
    chain.add(end);
  }

  Revision oldest() {
    return oldest;
  }

  /** Returns the version from which a watch sends all changes that the chain does not have. */
  ResourceVersion watchStart() {
    ResourceVersion version = head().version();
    int start = chain.size() - 1;
    while (start > 0 && chain.get(start - 1).version().equals(version)) {
      start--;
    }
    return chain.get(start).isOfDeletes() ? version.previous() : version;
  }

  long changes() {
    return end.events() - chain.getFirst().events();
  }

  @Override
  Revision head() {
    return chain.getLast();
  }

  @Override
  Upstream.SinkResult apply(ResourceVersion version, List<Change> changes) {
    if (version.isAfter(oldest.version())) {
      return complete();
    }
    Revision next =
        new RevisionBuilder(head(), null, NO_TIME)
            .changes(version, changes.stream().map(this::withCachedObjects).toList());
    if (version.equals(oldest.version())
        && (next.digest().equals(oldest.digest()) || !WatchApplier.areDeletes(changes))) {
      end = next;
      // A revision of kind CHANGES has this change itself.
      return oldest.kind() != Revision.Kind.CHANGES
              && append(next) instanceof CannotBackfill tooLarge
          ? tooLarge
          : complete();
    }
    end = next;
    return append(next);
  }

  /**
   * Replaces the new object with an equal object of the oldest cached revision. States are compared
   * by shared objects, so two copies of one object would count as a difference.
   */
  private Change withCachedObjects(Change change) {
    KubeObject now = change.now();
    KubeObject held = now == null ? null : oldest.state().get(now.key());
    if (held != null && now != null && held.hasSameStateAs(now)) {
      return new Change(change.old(), held);
    }
    ownBytes += now == null ? 0 : now.retainedBytes();
    return change;
  }

  @Override
  Upstream.SinkResult progress(ResourceVersion version) {
    if (!oldest.version().isAfter(version)) {
      return complete();
    }
    Revision next = new RevisionBuilder(head(), null, NO_TIME).progress(version);
    if (next == null) {
      return Upstream.SinkResult.CONTINUE;
    }
    end = next;
    return append(next);
  }

  private Upstream.SinkResult append(Revision next) {
    chain.add(next);
    return next.supersededBytes() - chain.getFirst().supersededBytes() + ownBytes > limit
        ? new CannotBackfill("too_large", "it is more than history may hold")
        : Upstream.SinkResult.CONTINUE;
  }

  private Upstream.Stop complete() {
    return end.digest().equals(oldest.digest())
        ? Complete.COMPLETE
        : new CannotBackfill(
            "different",
            "it leads to another state than the one that is held at version " + oldest.version());
  }

  /**
   * Returns the revisions in order. Their sums continue in the sums of the cached revision that
   * they lead to, and there is no gap before that revision.
   *
   * @param before the number after the number of the last revision; no other revision may have any
   *     of these numbers
   */
  List<Revision> revisions(long before) {
    Revision.Totals shift = oldest.totals().minus(end.totals());
    long first = before - chain.size();
    List<Revision> moved = new ArrayList<>(chain.size());
    for (Revision revision : chain) {
      moved.add(revision.renumbered(first + moved.size(), shift, oldest));
    }
    return moved;
  }
}
