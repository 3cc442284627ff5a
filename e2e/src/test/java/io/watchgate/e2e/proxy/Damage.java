package io.watchgate.e2e.proxy;

import java.util.List;
import java.util.function.Supplier;

/** What is done to one answer. */
public sealed interface Damage {
  /** To which answers it is done. */
  Aim aim();

  /** Which answers are meant, of those about config maps. */
  enum Aim {
    ANY,
    WATCH,
    STREAMING_LIST,
    /** In pages. */
    LIST,
    /** A list of one object: how far the type has come. */
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

  /** Another answer in its place. */
  record Instead(Aim aim, int code, String contentType, String body) implements Damage {}

  /** It ends inside its second line, an object of a watch. */
  record Half(Aim aim, Ending ending) implements Damage {}

  /** The list as it was a second before or more, of an apiserver that lags. */
  record Stale(Aim aim) implements Damage {}

  /** Its lines are changed, each by itself. */
  record Edited(Aim aim, Supplier<Edit> edit) implements Damage {}

  /** How half an answer ends. */
  enum Ending {
    /** As if it were whole. */
    CLEAN,
    CONNECTION_CUT
  }

  /** Changes lines; made anew for each answer, so that it may remember those before. */
  interface Edit {
    /** What is passed on in a line's place; the line itself if nothing is wrong with it. */
    List<String> line(String line);
  }
}
