package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import io.watchgate.json.UnreadableObjectException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sink that applies the events of one watch to a cache, or to backfilled history. It refuses events
 * that cannot follow the cached state: then the stream is not the continuation that it claims to
 * be, and only a new list helps. Not thread-safe.
 *
 * <p><b>An object that cannot be read</b> is left out ({@link SkippedObjects}). If an earlier state
 * of the object is cached, it is deleted, at the event's version. The first two events in ten
 * minutes that do not identify their objects end the watch, which is opened again. Further ones are
 * ignored.
 *
 * <p><b>A delete without a version of its own.</b> Some aggregated apiservers send DELETED with the
 * last version of the object. The delete is published at once, as a revision of the head's version:
 * no other version is known, and the next change might never happen. Positions do not go back.
 * Tokens before and after the delete differ in the digest, by which {@link
 * WatchCache#revisionAtOrBefore(ResourceVersion, StateDigest)} distinguishes them. A bare version
 * counts as the earlier position, so that the delete is sent again rather than missed.
 */
class WatchApplier implements Upstream.WatchSink {
  private final RevisionSink revisions;
  private final FieldPaths paths;
  private final SkippedObjects skipped;
  private final CacheMetrics metrics;
  private long applied;
  private boolean isFirstReported;
  private long bookmarks;

  WatchApplier(
      RevisionSink revisions, FieldPaths paths, SkippedObjects skipped, CacheMetrics metrics) {
    this.revisions = revisions;
    this.paths = paths;
    this.skipped = skipped;
    this.metrics = metrics;
  }

  /** End of a watch because what it sent contradicts the cached state. */
  record Contradiction(Kind kind, String message) implements Upstream.Stop {
    enum Kind {
      UNREADABLE,
      OUT_OF_ORDER,
      LOWER_VERSION
    }
  }

  /** Versions are not decimal numbers. The type can never be served. */
  static final class Unordered extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Returns the number of events and bookmarks so far, without events that were known. */
  long applied() {
    return applied;
  }

  /** Returns the number of bookmarks so far. */
  long bookmarks() {
    return bookmarks;
  }

  /** Called after the first event or bookmark that was applied. */
  void onFirstApplied() {}

  @Override
  public Upstream.SinkResult event(Upstream.EventType type, byte[] buffer, int from, int to) {
    return apply(type, buffer, from, to, null);
  }

  @Override
  public Upstream.SinkResult unreadable(
      Upstream.EventType type, byte[] buffer, int from, int to, String problem) {
    return apply(type, buffer, from, to, problem);
  }

  private Upstream.SinkResult apply(
      Upstream.EventType type, byte[] buffer, int from, int to, @Nullable String problem) {
    revisions.awaitRoom(); // before the copy; meanwhile events queue at the apiserver
    byte[] bytes = Arrays.copyOfRange(buffer, from, to);
    long before = applied;
    Upstream.SinkResult result;
    try {
      result = apply(type, bytes);
    } catch (UnreadableObjectException e) {
      String detail = problem == null ? String.valueOf(e.getMessage()) : problem;
      result = skip(type, e, detail);
    }
    // A known event is no progress: a watch that brings nothing else may be failing.
    return applied > before ? recordFirst(result) : result;
  }

  private Upstream.SinkResult recordFirst(Upstream.SinkResult result) {
    if (!isFirstReported && !(result instanceof Upstream.Stop)) {
      isFirstReported = true;
      onFirstApplied();
    }
    return result;
  }

  @Override
  public void reportIgnored(String problem) {
    applied++;
    skipped.report("the watch goes on", problem);
  }

  private Upstream.SinkResult skip(
      Upstream.EventType type, UnreadableObjectException object, String problem) {
    Revision head = head();
    Optional<byte[]> key = object.key();
    if (key.isEmpty()) {
      if (skipped.tryAcquireRetry()) {
        return new Contradiction(
            Contradiction.Kind.UNREADABLE, "an event could not be read: " + problem);
      }
      applied++;
      skipped.skip(key, problem);
      return Upstream.SinkResult.CONTINUE;
    }
    KubeObject old = head.state().get(key.get());
    ResourceVersion version = ResourceVersion.parse(object.resourceVersion());
    if (version != null
        && !version.isAfter(head.version())
        && (old == null || !version.isAfter(requireOrdered(old.resourceVersion())))) {
      metrics.duplicateDropped();
      return Upstream.SinkResult.CONTINUE;
    }
    applied++;
    switch (type) {
      case ADDED, MODIFIED -> skipped.skip(key, problem);
      case DELETED -> {
        skipped.report("a delete could not be read whole", problem);
        skipped.forget(key.get());
      }
    }
    ResourceVersion at =
        version != null && version.isAfter(head.version()) ? version : head.version();
    return old == null
        ? revisions.progress(at)
        : revisions.apply(at, List.of(Change.inferredDelete(old)));
  }

  private Revision head() {
    Revision head = revisions.head();
    if (head == null) {
      throw new IllegalStateException("a watch before the list");
    }
    return head;
  }

  private Upstream.SinkResult apply(Upstream.EventType type, byte[] bytes)
      throws UnreadableObjectException {
    KubeObject object = KubeObject.read(bytes, paths);
    ResourceVersion version = ResourceVersion.parse(object.resourceVersion());
    if (version == null) {
      throw ListCollector.withoutOrder(object);
    }
    Revision head = head();
    KubeObject old = head.state().get(object.key());
    skipped.forget(object.key());
    if (!version.isAfter(head.version()) && isKnown(type, object, old)) {
      metrics.duplicateDropped();
      return Upstream.SinkResult.CONTINUE;
    }
    applied++;
    if (!version.isAfter(head.version())) {
      if (type == Upstream.EventType.DELETED
          && old != null
          && isDelete(old, object, version, head)) {
        return revisions.apply(head.version(), List.of(new Change(old, null)));
      }
      return new Contradiction(
          Contradiction.Kind.OUT_OF_ORDER,
          "an event of version " + version + " came after version " + head.version());
    }
    return switch (type) {
      case ADDED, MODIFIED -> {
        if (old != null && !old.hasSameUidAs(object)) {
          // The DELETED in between was not sent. Both changes are in one revision: there is no
          // position between them.
          yield revisions.apply(
              version, List.of(Change.inferredDelete(old), new Change(null, object)));
        }
        yield revisions.apply(version, List.of(new Change(old, object)));
      }
      case DELETED -> {
        if (old == null) {
          yield revisions.progress(version);
        }
        yield old.hasSameUidAs(object)
            ? revisions.apply(version, List.of(new Change(old, null)))
            : new Contradiction(
                Contradiction.Kind.OUT_OF_ORDER,
                "a DELETED event came for an object whose uid differs from that in the cache, at"
                    + " version "
                    + head.version());
      }
    };
  }

  /** Returns whether others may follow at the same version: only deletes share a version. */
  static boolean areDeletes(List<Change> changes) {
    return changes.stream().allMatch(change -> change.now() == null);
  }

  /**
   * Returns whether a DELETED event that is not after the head is one of the cached object: with
   * the object's own version, as some servers send it, or with the version of a change just before.
   * When a lease of etcd expires, all its keys are deleted in one transaction, at one version:
   * events of Kubernetes, up to a thousand each minute.
   */
  private static boolean isDelete(
      KubeObject old, KubeObject deleted, ResourceVersion version, Revision head) {
    return old.hasSameStateAs(deleted)
        || (version.equals(head.version())
            && old.hasSameUidAs(deleted)
            && version.isAfter(requireOrdered(old.resourceVersion())));
  }

  /**
   * Returns whether the event is known already. A delete of an object that is not cached always is.
   */
  private static boolean isKnown(
      Upstream.EventType type, KubeObject object, @Nullable KubeObject old) {
    return switch (type) {
      case ADDED, MODIFIED -> old != null && old.hasSameStateAs(object);
      case DELETED -> old == null;
    };
  }

  @Override
  public Upstream.SinkResult bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
    ResourceVersion version = ResourceVersion.parse(resourceVersion);
    if (version == null) {
      reportIgnored("a bookmark whose version is not a decimal number");
      return Upstream.SinkResult.CONTINUE;
    }
    Revision head = revisions.head();
    applied++;
    bookmarks++;
    if (head != null && head.version().isAfter(version)) {
      // Not yet a rollback: another apiserver behind the same address may lag. The reflector finds
      // out.
      return new Contradiction(
          Contradiction.Kind.LOWER_VERSION,
          "a bookmark of version " + version + " came after " + head);
    }
    return recordFirst(revisions.progress(version));
  }

  static ResourceVersion requireOrdered(String text) {
    ResourceVersion version = ResourceVersion.parse(text);
    if (version == null) {
      throw new Unordered();
    }
    return version;
  }
}
