package io.watchgate.bench.compare;

import java.util.List;

/**
 * A row of the table.
 *
 * @param name that it is asked for by
 * @param text for a person
 * @param sides the first is compared with each of the others, if there are any
 */
public record Scenario(String name, String text, List<Contender> sides, List<Goal> goals) {
  public Scenario {
    sides = List.copyOf(sides);
    goals = List.copyOf(goals);
  }

  /**
   * The same with the naive yardstick in the gateway's place, on all sides that it is on: a row
   * that compares the gateway with itself has no other way to show that its goals tell anything.
   */
  public Scenario asNaive() {
    return new Scenario(
        name,
        text + ", the naive way",
        sides.stream()
            .filter(side -> !side.name().equals(Contender.NAIVE))
            .map(Contender::asNaive)
            .toList(),
        goals.stream().filter(goal -> !goal.against().equals(Contender.NAIVE)).toList());
  }

  /** Whether a sandbox will not do. */
  public boolean needsApiserver() {
    return sides.stream().anyMatch(Contender::isDirect);
  }
}
