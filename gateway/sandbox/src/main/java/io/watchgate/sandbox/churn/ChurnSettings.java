package io.watchgate.sandbox.churn;

/**
 * Size, seed and rates of the simulated cluster. The rates are constants: each is the delay before
 * a task of an actor, or the share of its tasks. Events are written with the steps of pods.
 *
 * @param nodes 1 to 5,000, with about six pods each
 * @param seed the same seed repeats the same requests, as long as no other client writes
 * @param pace pace of the users' changes
 */
public record ChurnSettings(int nodes, long seed, Pace pace) {
  /** Pace of the users' changes: rollouts, scalings, drained nodes, deleted pods. */
  public enum Pace {
    USUAL(2_000, 16_000),
    /** For a table that a person looks at: a pod changes about every second. */
    LIVELY(500, 1_500);

    private final long least;
    private final long most;

    Pace(long least, long most) {
      this.least = least;
      this.most = most;
    }

    /** Returns the delay before the next change by one user. */
    Delay userChange() {
      return new Delay(least, most);
    }
  }

  public static final int MAX_NODES = 5_000;
  public static final long DEFAULT_SEED = 1;

  static final int PODS_PER_NODE = 6;

  /** Nodes for each of the {@link SimulatedUsers}; a smaller cluster has one user. */
  static final int NODES_PER_USER = 10;

  /** Delay before each pod of a drained node is deleted. */
  static final Delay DRAIN_DELETE = new Delay(100, 4_000);

  /** Time for which a drained node is not schedulable. */
  static final Delay DRAIN_END = new Delay(10_000, 20_000);

  static final Delay DEPLOYMENT_RECONCILE = new Delay(20, 100);
  static final Delay REPLICA_SET_RECONCILE = new Delay(20, 100);

  /** Pods that are created at once, as in the controller manager; the next pods follow later. */
  static final int REPLICA_SET_BURST = 500;

  static final Delay ENDPOINTS_RECONCILE = new Delay(50, 500);
  static final Delay POD_SCHEDULE = new Delay(20, 300);

  /** Delay before another attempt if no node is schedulable. */
  static final Delay POD_SCHEDULE_RETRY = new Delay(5_000, 5_001);

  static final Delay POD_CREATE = new Delay(50, 500);
  static final Delay POD_START = new Delay(500, 2_500);

  /** One start of this many ends in a crash. */
  static final int STARTS_PER_CRASH = 12;

  static final Delay POD_CRASH = new Delay(10_000, 90_000);
  static final Delay POD_RESTART = new Delay(5_000, 20_000);
  static final Delay POD_END = new Delay(500, 2_000);

  static final Delay LEASE_RENEWAL = new Delay(10_000, 10_000);

  /**
   * The first renewals are spread over the period, so that a thousand nodes do not renew at once.
   */
  static final Delay FIRST_LEASE_RENEWAL = new Delay(0, 10_000);

  /**
   * Delay in milliseconds, at random between two limits.
   *
   * @param most exclusive, unless both are equal
   */
  record Delay(long least, long most) {}

  /** Creates settings with the usual pace. */
  public ChurnSettings(int nodes, long seed) {
    this(nodes, seed, Pace.USUAL);
  }

  public ChurnSettings {
    if (nodes < 1 || nodes > MAX_NODES) {
      throw new IllegalArgumentException(nodes + " nodes: 1 to " + MAX_NODES + " are possible");
    }
  }
}
