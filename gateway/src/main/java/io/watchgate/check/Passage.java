package io.watchgate.check;

import io.watchgate.check.Signal.SnapshotStarted;
import java.util.List;

/** What was sent between one position and the next, to be applied as one. */
sealed interface Passage {
  /** The position before it; NONE: none is known. */
  Version from();

  List<Event> events();

  /** Which of what was heard completed it, to show it. */
  int heard();

  /** Changes, one by one. None: only a position, such as a bookmark's. */
  record Changes(Version from, Version to, List<Event> events, int heard) implements Reached {
    public Changes {
      events = List.copyOf(events);
    }
  }

  /** What came of a piece of history. */
  record NetEffect(Version from, Version to, List<Event> events, int heard) implements Reached {
    public NetEffect {
      events = List.copyOf(events);
    }
  }

  /**
   * All there is.
   *
   * @param counted how many the gateway says these are
   */
  record Snapshot(
      Version from,
      Version to,
      SnapshotStarted.Reason reason,
      List<Event> events,
      long counted,
      int heard)
      implements Reached {
    public Snapshot {
      events = List.copyOf(events);
    }
  }

  /** What came after the last position, if it is not a part of something indivisible. */
  record Cut(Version from, List<Event> events, int heard) implements Passage {
    public Cut {
      events = List.copyOf(events);
    }
  }

  /** What ends with a position. */
  sealed interface Reached extends Passage {
    Version to();
  }
}
