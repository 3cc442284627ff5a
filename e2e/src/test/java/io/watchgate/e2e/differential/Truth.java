package io.watchgate.e2e.differential;

import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectEvent.Change;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Actual changes of the objects of one type, from a watch without selectors. */
final class Truth {
  private final NavigableMap<Long, Change> changes = new TreeMap<>();
  private final Map<String, Long> deletions = new HashMap<>();
  private final Set<Long> recreations = new HashSet<>();
  private @Nullable String justDeleted;
  private long lastVersion;

  synchronized void record(DirectEvent event) {
    lastVersion = event.resourceVersion();
    changes.put(event.resourceVersion(), event.change());
    if (event.change() == Change.ADDED && event.key().equals(justDeleted)) {
      recreations.add(event.resourceVersion());
    }
    justDeleted = event.change() == Change.DELETED ? event.key() : null;
    if (event.change() == Change.DELETED) {
      deletions.put(event.uid(), event.resourceVersion());
    }
  }

  /** Returns the version of the last change, 0 if there was none. */
  synchronized long lastVersion() {
    return lastVersion;
  }

  /** Returns the write that led to {@code version}, independent of any selector. */
  synchronized @Nullable Change at(long version) {
    return changes.get(version);
  }

  /** Returns the number of writes after {@code from}, up to and including {@code to}. */
  synchronized int countBetween(long from, long to) {
    return changes.subMap(from, false, to, true).size();
  }

  /** Returns whether the object with that uid was deleted at {@code version} or before. */
  synchronized boolean isDeleted(String uid, long version) {
    Long deleted = deletions.get(uid);
    return deleted != null && deleted <= version;
  }

  /**
   * Returns whether that version is an object that was created directly after its predecessor was
   * deleted.
   */
  synchronized boolean isRecreation(long version) {
    return recreations.contains(version);
  }
}
