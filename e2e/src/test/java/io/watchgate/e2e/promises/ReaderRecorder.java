package io.watchgate.e2e.promises;

import io.watchgate.check.RecordedEvent;
import io.watchgate.check.RecordedKind;
import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.ResourceVersions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a package store's changes that applies them to an empty map, and records changes that
 * contradict earlier ones: each has to begin with what the reader got last. The judge checks the
 * rest.
 */
final class ReaderRecorder {
  private final String name;
  private final Map<NamespacedName, HeldObject> held = new HashMap<>();

  /** Newest resourceVersion of each uid, also of objects that are gone. */
  private final Map<String, String> versions = new HashMap<>();

  private final List<RecordedEvent> events = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  ReaderRecorder(String name) {
    this.name = name;
  }

  /**
   * Applies a change.
   *
   * @param before null: there was none
   * @param after null: it is gone
   */
  void accept(NamespacedName key, @Nullable HeldObject before, @Nullable HeldObject after) {
    @Nullable HeldObject last = after == null ? held.remove(key) : held.put(key, after);
    expect(
        Objects.equals(before, last),
        () -> "a change of %s from %s, and before it %s".formatted(key, before, last));
    expect(
        !Objects.equals(before, after),
        () -> "a change of %s that differs in nothing".formatted(key));
    expect(
        hasKey(key, before) && hasKey(key, after), () -> "another object than %s".formatted(key));
    if (after != null && before != null && InformerSessions.isOtherForm(before, after)) {
      return;
    }
    if (before != null && (after == null || !before.uid().equals(after.uid()))) {
      events.add(
          InformerSessions.removed(before, before.resourceVersion(), DeletionReason.INFERRED));
    }
    if (after != null) {
      boolean isSame = before != null && before.uid().equals(after.uid());
      events.add(
          InformerSessions.event(isSame ? RecordedKind.MODIFIED : RecordedKind.ADDED, after));
      @Nullable String newest = versions.put(after.uid(), after.resourceVersion());
      expect(
          newest == null || ResourceVersions.compare(newest, after.resourceVersion()) < 0,
          () -> "%s, after its version %s".formatted(after, newest));
    }
  }

  private static boolean hasKey(NamespacedName key, @Nullable HeldObject object) {
    return object == null || object.key().equals(key);
  }

  private void expect(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      wrong.add(name + " got " + otherwise.get());
    }
  }

  String name() {
    return name;
  }

  /** Returns the object that the changes have led to; null: none. */
  @Nullable HeldObject held(NamespacedName key) {
    return held.get(key);
  }

  /** Returns the changes in the judge's form, in the order of arrival. */
  List<RecordedEvent> events() {
    return events;
  }

  /** Returns the contradictions, in a sentence each. */
  List<String> wrong() {
    return wrong;
  }
}
