package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.JsonException;
import io.watchgate.json.ObjectView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies the events of one watch to a cache, or to its past, and refuses what cannot follow on
 * what is held: then the stream is not the continuation it claims to be, and only a new list helps.
 * Not thread-safe.
 */
final class WatchApplier implements Upstream.WatchSink {
  private final Chained chain;
  private final FieldPaths paths;
  private final CacheMetrics metrics;
  private long applied;
  private long bookmarks;

  WatchApplier(Chained chain, FieldPaths paths, CacheMetrics metrics) {
    this.chain = chain;
    this.paths = paths;
    this.metrics = metrics;
  }

  /** The stream contradicts what is held. {@code reason} is a word for metrics. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;
    final String reason;

    Violation(String reason, String message) {
      super(message, null, false, false);
      this.reason = reason;
    }
  }

  /** Versions are not decimal numbers. */
  static final class Unordered extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** How many events and bookmarks came. */
  long applied() {
    return applied;
  }

  /** How many of those were bookmarks. */
  long bookmarks() {
    return bookmarks;
  }

  @Override
  public void event(Upstream.EventType type, byte[] buffer, int from, int to) {
    ObjectView object;
    try {
      object = ObjectView.read(Arrays.copyOfRange(buffer, from, to), paths);
    } catch (JsonException e) {
      throw new Violation("malformed", "an event could not be read: " + e.getMessage());
    }
    Revision head = chain.head();
    if (head == null) {
      throw new IllegalStateException("a watch before the list");
    }
    ResourceVersion version = ordered(object.resourceVersion());
    ObjectView old = head.state().get(object.key());
    applied++;
    if (!version.isAfter(head.version())) {
      if (isKnown(type, version, object, old, head)) {
        metrics.duplicateDropped();
        return;
      }
      throw new Violation(
          "order", "an event of version " + version + " came after version " + head.version());
    }
    switch (type) {
      case ADDED, MODIFIED -> {
        if (old != null && !old.sameUidAs(object)) {
          // The DELETED in between was not sent. Both in one revision: there is no position between
          // them.
          chain.apply(version, List.of(new Change(old, null), new Change(null, object)));
        } else {
          chain.apply(version, List.of(new Change(old, object)));
        }
      }
      case DELETED -> {
        if (old == null) {
          chain.progress(version);
        } else if (old.sameUidAs(object)) {
          chain.apply(version, List.of(new Change(old, null)));
        } else {
          throw new Violation(
              "order", "an object was deleted of which version " + head.version() + " has another");
        }
      }
    }
  }

  private static boolean isKnown(
      Upstream.EventType type,
      ResourceVersion version,
      ObjectView object,
      @Nullable ObjectView old,
      Revision head) {
    return switch (type) {
      case ADDED, MODIFIED -> old != null && old.sameStateAs(object);
      case DELETED -> old == null && version.equals(head.version());
    };
  }

  @Override
  public void bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
    ResourceVersion version = ordered(resourceVersion);
    Revision head = chain.head();
    applied++;
    bookmarks++;
    if (head != null && head.version().isAfter(version)) {
      // Not yet a rollback: another apiserver behind the same address may lag. The reflector finds
      // out.
      throw new Violation("rollback", "a bookmark of version " + version + " came after " + head);
    }
    chain.progress(version);
  }

  static ResourceVersion ordered(String text) {
    ResourceVersion version = ResourceVersion.parse(text);
    if (version == null) {
      throw new Unordered();
    }
    return version;
  }
}
