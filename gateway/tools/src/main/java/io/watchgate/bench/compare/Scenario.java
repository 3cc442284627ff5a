package io.watchgate.bench.compare;

import java.util.List;

/**
 * A row of the comparison table.
 *
 * @param name name on the command line
 * @param text description for a person
 * @param contenders contenders; the first is compared with each of the others, if there are any
 */
public record Scenario(String name, String text, List<Contender> contenders, List<Goal> goals) {
  public Scenario {
    contenders = List.copyOf(contenders);
    goals = List.copyOf(goals);
  }

  /**
   * Returns the scenario with the naive baseline in place of the gateway, for all contenders. A
   * scenario that compares the gateway with itself has no other way to prove that its goals
   * discriminate.
   */
  public Scenario asNaive() {
    return new Scenario(
        name,
        text + ", the naive way",
        contenders.stream()
            .filter(side -> !side.name().equals(Contender.NAIVE))
            .map(Contender::asNaive)
            .toList(),
        goals.stream().filter(goal -> !goal.against().equals(Contender.NAIVE)).toList());
  }

  /** Returns the scenario with gateways that send all responses by gRPC. */
  public Scenario withoutLane() {
    return new Scenario(
        name,
        text + ", with --no-lane",
        contenders.stream()
            .map(side -> side.isGateway() ? side.withServerOptions("--no-lane") : side)
            .toList(),
        goals);
  }

  /** Returns whether the scenario needs a kube-apiserver instead of a sandbox. */
  public boolean needsApiserver() {
    return contenders.stream().anyMatch(Contender::isDirect);
  }
}
