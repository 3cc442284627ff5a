package io.watchgate.e2e.proxy;

import java.util.List;
import java.util.function.Supplier;

/** Damage to one answer of the apiserver. */
public sealed interface Damage {
  /** Returns the answers to which the damage applies. */
  Aim aim();

  /** Kind of answer, among those about config maps. */
  enum Aim {
    ANY,
    WATCH,
    STREAMING_LIST,
    /** List in pages. */
    LIST,
    /** List of one object, for the version of the type. */
    PROBE;

    boolean includes(String query) {
      return switch (this) {
        case ANY -> true;
        case WATCH -> query.contains("watch=") && !query.contains("sendInitialEvents=");
        case STREAMING_LIST -> query.contains("sendInitialEvents=");
        case LIST -> !query.contains("watch=") && !PROBE.includes(query);
        case PROBE -> List.of(query.split("&", -1)).contains("limit=1");
      };
    }
  }

  /** Replacement by another answer. */
  record Instead(Aim aim, int code, String contentType, String body) implements Damage {}

  /** End inside the second line, which is an object of a watch. */
  record Half(Aim aim, Ending ending) implements Damage {}

  /** List in the state of at least one second before, as of a lagging apiserver. */
  record Stale(Aim aim) implements Damage {}

  /** Change of each line. */
  record Edited(Aim aim, Supplier<Edit> edit) implements Damage {}

  /** End of half an answer. */
  enum Ending {
    /** Normal end, as if the answer were complete. */
    CLEAN,
    CONNECTION_CUT
  }

  /** Change of lines; created for each answer, so that it may keep state between lines. */
  interface Edit {
    /** Returns the lines that replace a line; the line itself if it is unchanged. */
    List<String> line(String line);
  }
}
