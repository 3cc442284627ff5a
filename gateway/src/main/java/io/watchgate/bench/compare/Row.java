package io.watchgate.bench.compare;

import java.util.List;

/**
 * A row of the table.
 *
 * @param name that it is asked for by
 * @param text for a person
 * @param sides the first is compared with each of the others, if there are any
 */
public record Row(String name, String text, List<Side> sides, List<Goal> goals) {
  public Row {
    sides = List.copyOf(sides);
    goals = List.copyOf(goals);
  }

  /** Whether a sandbox will not do. */
  public boolean needsApiserver() {
    return sides.stream().anyMatch(Side::isDirect);
  }
}
