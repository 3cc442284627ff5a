package io.watchgate.cli;

import io.watchgate.proto.v1.WatchEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Evaluation of {@code --until-all}: whether every object of a watch meets a condition. Holds the
 * name of each object. Not thread-safe.
 */
final class UntilAll {
  private final UntilCondition condition;
  private final Set<String> unmet = new HashSet<>();
  private final Set<String> all = new HashSet<>();

  UntilAll(UntilCondition condition) {
    this.condition = condition;
  }

  /** Records the states of objects. */
  void apply(List<WatchEvent> events) {
    for (WatchEvent event : events) {
      String name = event.getKey().getNamespace() + "/" + event.getKey().getName();
      switch (event.getType()) {
        case EVENT_TYPE_DELETED -> {
          all.remove(name);
          unmet.remove(name);
        }
        case EVENT_TYPE_ADDED, EVENT_TYPE_MODIFIED, EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> {
          all.add(name);
          if (condition.isMetBy(event)) {
            unmet.remove(name);
          } else {
            unmet.add(name);
          }
        }
      }
    }
  }

  /** Returns a description if the recorded state, which must be complete, meets the condition. */
  Optional<String> met(String resourceVersion) {
    if (all.isEmpty()) {
      return condition.isMetByEmptySnapshot()
          ? Optional.of("nothing matches at version " + resourceVersion)
          : Optional.empty();
    }
    return unmet.isEmpty()
        ? Optional.of(
            (all.size() == 1 ? "the only object" : "all " + all.size() + " objects")
                + " at version "
                + resourceVersion)
        : Optional.empty();
  }
}
