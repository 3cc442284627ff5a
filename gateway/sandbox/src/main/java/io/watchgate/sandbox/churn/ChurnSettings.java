package io.watchgate.sandbox.churn;

/**
 * Size and seed of the simulated cluster.
 *
 * @param nodes 1 to 5,000, with about six pods each
 * @param seed the same seed repeats the same requests, as long as no other client writes
 */
public record ChurnSettings(int nodes, long seed) {
  public static final int MAX_NODES = 5_000;

  public ChurnSettings {
    if (nodes < 1 || nodes > MAX_NODES) {
      throw new IllegalArgumentException(nodes + " nodes: 1 to " + MAX_NODES + " are possible");
    }
  }
}
