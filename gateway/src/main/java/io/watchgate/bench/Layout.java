package io.watchgate.bench;

import io.watchgate.bench.Plan.StallManner;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which reader sits on which connection, and how it behaves. Readers that do not read their socket
 * have connections of their own, as many of all as they are of the readers, at least one; readers
 * that reconnect have one each, beyond those of the plan.
 *
 * @param connections but for those that reconnect
 */
record Layout(List<Seat> seats, int connections) {

  private static final int ITS_OWN = -1;

  /** What a reader does once it is synced. */
  enum Conduct {
    READS,
    IDLES,
    UNREAD,
    RECONNECTS
  }

  /** One reader. */
  record Seat(int reader, int connection, Conduct conduct) {}

  static Layout of(Plan plan) {
    Plan.Readers readers = plan.readers();
    boolean[] stalls = stalling(readers, plan.seed());
    StallManner manner = readers.stall().manner();
    int shared = readers.connections();
    int stalling = count(stalls);
    int unread =
        manner == StallManner.UNREAD && stalling > 0
            ? Math.max(1, Math.round((float) shared * stalling / readers.streams()))
            : 0;
    int reading = Math.max(1, shared - unread);
    List<Seat> seats = new ArrayList<>();
    int next = 0;
    int nextUnread = 0;
    for (int reader = 0; reader < readers.streams(); reader++) {
      if (!stalls[reader]) {
        seats.add(new Seat(reader, next++ % reading, Conduct.READS));
        continue;
      }
      seats.add(
          switch (manner) {
            case NO_DEMAND -> new Seat(reader, next++ % reading, Conduct.IDLES);
            case UNREAD -> new Seat(reader, reading + nextUnread++ % unread, Conduct.UNREAD);
            case RECONNECT -> new Seat(reader, ITS_OWN, Conduct.RECONNECTS);
          });
    }
    return new Layout(List.copyOf(seats), reading + unread);
  }

  private static boolean[] stalling(Plan.Readers readers, long seed) {
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

  /** By connection and object: how many readers on it have to get a change of that object. */
  int[][] expected(Plan plan) {
    int objects = plan.objects().count();
    int[][] expected = new int[connections][objects];
    for (Seat seat : seats) {
      if (seat.conduct() == Conduct.READS) {
        Matching matching = plan.matching(seat.reader());
        for (int i = 0; i < matching.count(); i++) {
          expected[seat.connection()][matching.object(i)]++;
        }
      }
    }
    return expected;
  }

  /** By object: how many connections have such readers. */
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
