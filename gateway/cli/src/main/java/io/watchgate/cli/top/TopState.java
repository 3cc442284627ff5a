package io.watchgate.cli.top;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Choices of the person at the live table.
 *
 * @param limit maximum number of rows of streams
 */
record TopState(StreamSort sort, int limit, Set<Flag> flags) {
  private static final int MAX_LIMIT = 1_000;
  private static final int LIMIT_STEP = 5;

  private static final String KEYS =
      "b behind, s seconds, y bytes, n sent, o opened, + - rows, space pauses, q quits";

  /** Choice that a key switches. */
  enum Flag {
    PAUSED,
    HELP,
    ENDED
  }

  TopState {
    flags = Set.copyOf(flags);
  }

  /** Returns the state after a key; this one if the key has no meaning. */
  TopState after(char key) {
    return switch (key) {
      case 'b' -> sortedBy(StreamSort.BEHIND);
      case 's' -> sortedBy(StreamSort.SECONDS);
      case 'y' -> sortedBy(StreamSort.BYTES);
      case 'n' -> sortedBy(StreamSort.SENT);
      case 'o' -> sortedBy(StreamSort.OPENED);
      case '+', '=' -> withLimit(limit < LIMIT_STEP ? LIMIT_STEP : limit + LIMIT_STEP);
      case '-' -> withLimit(limit - LIMIT_STEP);
      case ' ', 'p' -> switched(Flag.PAUSED);
      case '?', 'h' -> switched(Flag.HELP);
      case 'q' -> switched(Flag.ENDED);
      default -> this;
    };
  }

  private TopState sortedBy(StreamSort next) {
    return new TopState(next, limit, flags);
  }

  private TopState withLimit(int next) {
    return new TopState(sort, Math.clamp(next, 1, MAX_LIMIT), flags);
  }

  private TopState switched(Flag flag) {
    Set<Flag> next = EnumSet.noneOf(Flag.class);
    next.addAll(flags);
    if (!next.remove(flag)) {
      next.add(flag);
    }
    return new TopState(sort, limit, next);
  }

  boolean has(Flag flag) {
    return flags.contains(flag);
  }

  /** Returns whether the gateways are asked for the same rows as for another state. */
  boolean asksAs(TopState other) {
    return sort == other.sort && limit == other.limit;
  }

  /** Returns the last lines of the table. */
  List<String> lines() {
    String line =
        "sorted by "
            + sort.name().toLowerCase(Locale.ROOT)
            + ", at most "
            + limit
            + " rows"
            + (has(Flag.PAUSED) ? ", paused: space continues" : "");
    return has(Flag.HELP) ? List.of(line, KEYS) : List.of(line + "; ? shows the keys");
  }
}
