package io.watchgate.check;

import io.watchgate.check.RecordedSignal.SnapshotStarted;
import java.util.List;

/** What was sent between one position and the next, to be applied as one. */
sealed interface Segment {
  /** The position before it; NONE: none is known. */
  CheckedVersion from();

  List<RecordedEvent> events();

  /** Which of what was heard completed it, to show it. */
  int heard();

  /** Changes, one by one. None: only a position, such as a bookmark's. */
  record Changes(CheckedVersion from, CheckedVersion to, List<RecordedEvent> events, int heard)
      implements Reached {
    public Changes {
      events = List.copyOf(events);
    }
  }

  /** What came of a piece of history. */
  record NetEffect(CheckedVersion from, CheckedVersion to, List<RecordedEvent> events, int heard)
      implements Reached {
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
      CheckedVersion from,
      CheckedVersion to,
      SnapshotStarted.Reason reason,
      List<RecordedEvent> events,
      long counted,
      int heard)
      implements Reached {
    public Snapshot {
      events = List.copyOf(events);
    }
  }

  /** What came after the last position, if it is not a part of something indivisible. */
  record Cut(CheckedVersion from, List<RecordedEvent> events, int heard) implements Segment {
    public Cut {
      events = List.copyOf(events);
    }
  }

  /** What ends with a position. */
  sealed interface Reached extends Segment {
    CheckedVersion to();
  }
}
