package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Revisions that lead up to the oldest one that a cache holds. They are complete once the
 * apiserver's own order has come past that one's version, and are believed if the state there is
 * the one that is held. Not thread-safe.
 */
final class BackfilledHistory implements RevisionSink {
  /** Only for what {@link #revisions} replaces. */
  private static final TimeSource NO_TIME = new TimeSource(() -> Instant.EPOCH, () -> 0);

  private final Revision oldest;
  private final long limit;
  private final List<Revision> made = new ArrayList<>();

  /** Where it has come to: the last that was made, or what the oldest revision is itself. */
  private Revision end;

  /** Bytes of objects that the oldest revision does not hold. */
  private long own;

  /** Thrown out of the watch that has come as far as it was to. */
  static final class Complete extends RuntimeException {
    private static final long serialVersionUID = 1;

    Complete() {
      super("the past is complete", null, false, false);
    }
  }

  /**
   * Begins.
   *
   * @param base the state at {@code version}
   * @param oldest what it is to lead up to
   * @param limit the most bytes that it may keep alive
   */
  BackfilledHistory(ResourceVersion version, StateMap base, Revision oldest, long limit) {
    this.oldest = oldest;
    this.limit = limit;
    this.end =
        new RevisionBuilder(null, null, NO_TIME).list(version, base, HistoryConfidence.TRUSTED);
    made.add(end);
  }

  Revision oldest() {
    return oldest;
  }

  long changes() {
    return end.events() - made.getFirst().events();
  }

  @Override
  public Revision head() {
    return made.getLast();
  }

  @Override
  public void apply(ResourceVersion version, List<Change> changes) {
    if (version.isAfter(oldest.version())) {
      throw complete();
    }
    Revision next =
        new RevisionBuilder(head(), null, NO_TIME)
            .changes(version, changes.stream().map(this::withHeldObjects).toList());
    if (version.equals(oldest.version())) { // of which there is one change
      end = next;
      if (oldest.kind() != Revision.Kind.CHANGES) { // else the oldest has it
        append(next);
      }
      throw complete();
    }
    append(next);
    end = next;
  }

  /**
   * What the oldest revision holds, in place of an equal object: states are compared by which
   * objects they share, and two that hold the same twice would differ in it.
   */
  private Change withHeldObjects(Change change) {
    KubeObject now = change.now();
    KubeObject held = now == null ? null : oldest.state().get(now.key());
    if (held != null && now != null && held.sameStateAs(now)) {
      return new Change(change.old(), held);
    }
    own += now == null ? 0 : now.retainedBytes();
    return change;
  }

  @Override
  public void progress(ResourceVersion version) {
    if (!oldest.version().isAfter(version)) {
      throw complete();
    }
    Revision next = new RevisionBuilder(head(), null, NO_TIME).progress(version);
    if (next != null) {
      append(next);
      end = next;
    }
  }

  private void append(Revision next) {
    made.add(next);
    if (next.superseded() - made.getFirst().superseded() + own > limit) {
      throw new Backfill.Fruitless("too_large", "it is more than history may hold");
    }
  }

  private Complete complete() {
    if (!end.digest().equals(oldest.digest())) {
      throw new Backfill.Fruitless(
          "different",
          "it leads to another state than the one that is held at version " + oldest.version());
    }
    return new Complete();
  }

  /**
   * In their order, with sums that go on in those of the revision that they lead to, and without a
   * gap before it.
   *
   * @param before the number after that of the last; no other revision may have any of these
   */
  List<Revision> revisions(long before) {
    Revision.Totals shift = oldest.totals().minus(end.totals());
    long first = before - made.size();
    List<Revision> moved = new ArrayList<>(made.size());
    for (Revision revision : made) {
      moved.add(revision.moved(first + moved.size(), shift, oldest));
    }
    return moved;
  }
}
