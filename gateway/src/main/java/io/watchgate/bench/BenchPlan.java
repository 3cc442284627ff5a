package io.watchgate.bench;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a run does, as {@code watchgate bench} has it from its options.
 *
 * @param warmUp before anything is measured
 * @param steadyWithin how much longer it may take until the server's cost is steady; zero: no
 *     matter
 * @param duration of what is measured
 * @param seed which readers stall follows from it
 */
public record BenchPlan(
    Readers readers,
    Arrivals arrivals,
    Objects objects,
    Pace pace,
    Duration warmUp,
    Duration steadyWithin,
    Duration duration,
    long seed) {

  /**
   * Who reads.
   *
   * @param streams at least 1
   * @param connections that they are spread over evenly, 1 to {@code streams}
   * @param bookmarks how often they ask for one; empty: the gateway's choice
   * @param receiveBytes the HTTP/2 window of each stream and of each connection, which then does
   *     not grow; empty: gRPC's own
   */
  public record Readers(
      int streams,
      int connections,
      Selectors selectors,
      View view,
      Optional<Duration> bookmarks,
      OptionalInt receiveBytes,
      Stall stall) {}

  /** What the readers select. */
  public enum Selectors {
    /** All objects, all with the same selector. */
    SAME,
    /** The pods of one node each, as node agents do. */
    PER_NODE,
    /** Every other reader the pods of one node, the others all. */
    MIXED,
    /** All objects, each reader with a selector of its own. */
    DIFFERENT
  }

  /** How objects are sent. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    METADATA
  }

  /**
   * Readers that stall.
   *
   * @param percent of the streams, 0 to 100
   */
  public record Stall(double percent, StallManner manner) {
    public static final Stall NONE = new Stall(0, StallManner.NO_DEMAND);
  }

  /**
   * Who comes when the span that is measured begins, all at once.
   *
   * @param joining further streams that begin with a snapshot, on connections of their own
   * @param returning how many of the streams leave after the warm-up and come back with the token
   *     that they had then
   * @param away how long these are away
   */
  public record Arrivals(int joining, int returning, Duration away) {
    public static final Arrivals NONE = new Arrivals(0, 0, Duration.ZERO);
  }

  /** How a reader stalls once it is synced. */
  public enum StallManner {
    /** Asks for no more messages, on a connection that it shares with readers that go on. */
    NO_DEMAND,
    /** Does not read its socket. */
    UNREAD,
    /** Closes its connection and opens the next, over and over. */
    RECONNECT,
    /** Opens streams on a connection of its own and resets them at once, over and over. */
    RESET,
    /** Asks what there is, calls what there is not, and sends requests that are none. */
    SCAN
  }

  /**
   * What is written.
   *
   * @param count of the objects that are changed one after the other
   * @param bytes of each as JSON, as far as that can be had
   * @param nodes that readers select, the n-th reader the n-th of them
   * @param busyNodes the first so many of them have all the pods
   */
  public record Objects(Kind kind, int count, int bytes, int nodes, int busyNodes) {}

  /** Of which type. */
  public enum Kind {
    CONFIGMAPS("configmaps"),
    PODS("pods");

    private final String plural;

    Kind(String plural) {
      this.plural = plural;
    }

    String plural() {
      return plural;
    }
  }

  /** How fast. */
  public sealed interface Pace {
    /**
     * So many writes a second, however late the readers are.
     *
     * @param warmUpRate another number of them to begin with
     * @param warmUp for so long
     */
    record Paced(double rate, double warmUpRate, Duration warmUp) implements Pace {
      public Paced(double rate) {
        this(rate, rate, Duration.ZERO);
      }
    }

    /** The next once all readers that do not stall have the one {@code window} before it. */
    record Unpaced(int window) implements Pace {}
  }

  /** What the selector of the n-th reader matches. */
  ExpectedMatches matching(int reader) {
    return selectsNode(reader)
        ? ofNode(reader % objects.nodes())
        : ExpectedMatches.all(objects.count());
  }

  boolean selectsNode(int reader) {
    return switch (readers.selectors()) {
      case SAME, DIFFERENT -> false;
      case PER_NODE -> true;
      case MIXED -> reader % 2 == 1;
    };
  }

  private ExpectedMatches ofNode(int node) {
    return node < Math.min(objects.busyNodes(), objects.count())
        ? new ExpectedMatches(objects.count(), node, objects.busyNodes())
        : ExpectedMatches.none(objects.count());
  }
}
