package io.watchgate.bench;

import io.watchgate.bench.BenchPlan.HostileBehavior;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Assignment of readers to connections, with the behavior of each reader. Readers that do not read
 * their socket have connections of their own: the same share of the connections as of the readers,
 * at least one. The same holds for readers that leave and return. So neither can delay the
 * deliveries to other readers. Each reader that reconnects has one connection, in addition to those
 * of the plan.
 *
 * @param connections without those of the readers that reconnect
 */
record ReaderPlacement(List<PlacedReader> readers, List<Use> connections) {

  private static final int OWN_CONNECTION = -1;

  /** Behavior of a reader once it is synced. */
  enum Behavior {
    READS,
    IDLES,
    UNREAD,
    RECONNECTS,
    RETURNS
  }

  /** Kind of the readers on a connection. */
  enum Use {
    READING,
    UNREAD,
    RETURNING
  }

  /** One reader with its connection and behavior. */
  record PlacedReader(int reader, int connection, Behavior behavior) {}

  static ReaderPlacement of(BenchPlan plan) {
    BenchPlan.Readers readers = plan.readers();
    boolean[] stalls = chooseStalled(readers, plan.seed());
    int returning = plan.arrivals().returning();
    HostileBehavior hostile = readers.stall().behavior();
    int unread = hostile == HostileBehavior.UNREAD ? connectionsFor(readers, count(stalls)) : 0;
    int onReturning = connectionsFor(readers, returning);
    int reading = Math.max(1, readers.connections() - unread - onReturning);
    Connections connections = new Connections();
    IntSupplier nextRead = connections.add(reading, Use.READING);
    IntSupplier nextUnread = connections.add(unread, Use.UNREAD);
    IntSupplier nextReturning = connections.add(onReturning, Use.RETURNING);
    List<PlacedReader> placed = new ArrayList<>();
    int chosen = 0;
    for (int reader = 0; reader < readers.streams(); reader++) {
      Behavior behavior = stalls[reader] ? behavior(hostile) : Behavior.READS;
      if (behavior == Behavior.READS && chosen < returning) {
        behavior = Behavior.RETURNS;
        chosen++;
      }
      int connection =
          switch (behavior) {
            case READS, IDLES -> nextRead.getAsInt();
            case UNREAD -> nextUnread.getAsInt();
            case RETURNS -> nextReturning.getAsInt();
            case RECONNECTS -> OWN_CONNECTION;
          };
      placed.add(new PlacedReader(reader, connection, behavior));
    }
    return new ReaderPlacement(List.copyOf(placed), List.copyOf(connections.uses));
  }

  /** Returns the number of connections for this number of streams, at least 1 if there are any. */
  private static int connectionsFor(BenchPlan.Readers readers, int streams) {
    float share = (float) readers.connections() * streams / readers.streams();
    return streams == 0 ? 0 : Math.max(1, Math.round(share));
  }

  private static Behavior behavior(HostileBehavior hostile) {
    return switch (hostile) {
      case NO_DEMAND -> Behavior.IDLES;
      case UNREAD -> Behavior.UNREAD;
      case RECONNECT, RESET, SCAN -> Behavior.RECONNECTS;
    };
  }

  private static final class Connections {
    private final List<Use> uses = new ArrayList<>();

    /** Adds connections and returns a supplier that cycles through them. */
    private IntSupplier add(int count, Use use) {
      int first = uses.size();
      uses.addAll(Collections.nCopies(count, use));
      AtomicInteger next = new AtomicInteger();
      return () -> first + next.getAndIncrement() % count;
    }
  }

  private static boolean[] chooseStalled(BenchPlan.Readers readers, long seed) {
    boolean[] stalls = new boolean[readers.streams()];
    long left = Math.round(readers.streams() * readers.stall().percent() / 100);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < stalls.length; i++) {
      stalls[i] = random.nextInt(stalls.length - i) < left;
      left -= stalls[i] ? 1 : 0;
    }
    return stalls;
  }

  private static int count(boolean[] values) {
    int count = 0;
    for (boolean value : values) {
      count += value ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns, by connection and object, the number of readers that must receive a change of the
   * object.
   */
  int[][] expected(BenchPlan plan) {
    int objects = plan.objects().count();
    int[][] expected = new int[connections.size()][objects];
    for (PlacedReader placed : readers) {
      if (placed.behavior() == Behavior.READS) {
        ExpectedMatches matching = plan.expectedMatches(placed.reader());
        for (int i = 0; i < matching.count(); i++) {
          expected[placed.connection()][matching.object(i)]++;
        }
      }
    }
    return expected;
  }

  /** Returns, by object, the number of connections that have such readers. */
  static int[] awaited(int[][] expected, int objects) {
    int[] awaited = new int[objects];
    for (int[] connection : expected) {
      for (int object = 0; object < objects; object++) {
        awaited[object] += connection[object] > 0 ? 1 : 0;
      }
    }
    return awaited;
  }
}
