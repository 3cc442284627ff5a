package io.watchgate.table;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The columns of a table but for EVENT and NAMESPACE. */
public sealed interface Columns {
  String UNKNOWN = "<unknown>";

  List<String> header();

  List<String> cells(String name, JsonView object, Instant now);

  /** The columns for objects like this one. */
  static Columns of(JsonView object) {
    boolean pod =
        object.get("kind").text().equals("Pod") && object.get("apiVersion").text().equals("v1");
    return pod ? new Pods() : new Plain();
  }

  /** As kubectl, whose AGE is reckoned when the row is printed. */
  static String since(Optional<Instant> time, Instant now) {
    return time.map(then -> HumanDuration.of(Duration.between(then, now))).orElse(UNKNOWN);
  }

  private static String age(JsonView object, Instant now) {
    return since(object.get("metadata", "creationTimestamp").time(), now);
  }

  /** Any type. */
  record Plain() implements Columns {
    @Override
    public List<String> header() {
      return List.of("NAME", "AGE");
    }

    @Override
    public List<String> cells(String name, JsonView object, Instant now) {
      return List.of(name, age(object, now));
    }
  }

  /** Pods. */
  record Pods() implements Columns {
    @Override
    public List<String> header() {
      return List.of("NAME", "READY", "STATUS", "RESTARTS", "AGE");
    }

    @Override
    public List<String> cells(String name, JsonView object, Instant now) {
      if (!object.get("status").exists()) {
        return List.of(name, UNKNOWN, UNKNOWN, UNKNOWN, age(object, now));
      }
      PodSummary pod = PodSummary.of(object);
      return List.of(
          name,
          pod.ready() + "/" + pod.containers(),
          pod.status(),
          pod.restarts(now),
          age(object, now));
    }
  }
}
