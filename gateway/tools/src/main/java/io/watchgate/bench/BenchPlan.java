package io.watchgate.bench;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Parameters of a run, as {@code watchgate bench} reads them from its options.
 *
 * @param seed seed of random choices, such as the slow or hostile readers
 */
public record BenchPlan(
    Readers readers, Arrivals arrivals, Objects objects, Pace pace, Times times, long seed) {

  /**
   * Durations of the parts of a run.
   *
   * @param warmUp time before anything is measured
   * @param steadyWithin additional time to wait for a steady cost of the server; zero: no wait
   * @param duration length of the measurement
   */
  public record Times(Duration warmUp, Duration steadyWithin, Duration duration) {}

  /**
   * Readers and their connections.
   *
   * @param streams number of streams, at least 1
   * @param connections number of connections over which the streams are spread evenly, 1 to {@code
   *     streams}
   * @param bookmarks requested bookmark interval; empty: the gateway's default
   * @param receiveBytes fixed HTTP/2 window of each stream and of each connection; empty: gRPC's
   *     default, which grows
   */
  public record Readers(
      int streams,
      int connections,
      Selectors selectors,
      View view,
      Optional<Duration> bookmarks,
      OptionalInt receiveBytes,
      Stall stall) {}

  /** Selectors of the readers. */
  public enum Selectors {
    /** All objects, with the same selector for all readers. */
    SAME,
    /** The pods of one node per reader, as node agents select them. */
    PER_NODE,
    /** The pods of one node for every second reader, all objects for the others. */
    MIXED,
    /** All objects, with a different selector for each reader. */
    DIFFERENT
  }

  /** View of the objects in responses. */
  public enum View {
    FULL,
    NO_MANAGED_FIELDS,
    METADATA
  }

  /**
   * Share of slow or hostile readers, and their behavior.
   *
   * @param percent share of the streams, 0 to 100
   */
  public record Stall(double percent, HostileBehavior behavior) {}

  /**
   * Streams that join or return when the measurement begins, all at once.
   *
   * @param joining number of additional streams, which begin with a snapshot on connections of
   *     their own
   * @param returning number of streams that leave after the warm-up and return with the token that
   *     they had then
   * @param away time between leaving and returning
   */
  public record Arrivals(int joining, int returning, Duration away) {}

  /** Behavior of a slow or hostile reader once it is synced. */
  public enum HostileBehavior {
    /** Requests no more messages, on a connection that it shares with readers that keep reading. */
    NO_DEMAND,
    /** Does not read its socket. */
    UNREAD,
    /** Closes its connection and opens the next, repeatedly. */
    RECONNECT,
    /** Opens streams on a connection of its own and resets them immediately, repeatedly. */
    RESET,
    /** Calls reflection, existing and unknown methods with random bytes as requests. */
    SCAN
  }

  /**
   * Objects of a run.
   *
   * @param count number of objects, which are changed one after the other
   * @param bytes target size of each object as JSON; an object without padding may be larger
   * @param nodes number of nodes that readers select; reader n selects node n modulo {@code nodes}
   * @param busyNodes number of nodes, from the first on, that have all the pods
   */
  public record Objects(Kind kind, int count, int bytes, int nodes, int busyNodes) {}

  /** Type of the objects. */
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

  /** Rate of the writes. */
  public sealed interface Pace {
    /**
     * A fixed rate of writes, which does not depend on the readers.
     *
     * @param rate writes per second after the warm-up
     * @param warmUpRate writes per second during the warm-up
     * @param warmUp duration of the warm-up
     */
    record Paced(double rate, double warmUpRate, Duration warmUp) implements Pace {
      public Paced(double rate) {
        this(rate, rate, Duration.ZERO);
      }
    }

    /**
     * Writes as fast as the readers receive them. A write starts once all readers that do not stall
     * have received the write {@code window} writes before it.
     */
    record Unpaced(int window) implements Pace {}
  }

  /** Returns the objects that the n-th reader's selector matches. */
  ExpectedMatches expectedMatches(int reader) {
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
