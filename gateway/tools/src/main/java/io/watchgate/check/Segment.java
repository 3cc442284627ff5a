package io.watchgate.check;

import io.watchgate.check.RecordedSignal.SnapshotStarted;
import java.util.List;

/** Events between one position and the next, which are applied as a unit. */
sealed interface Segment {
  /** Returns the position before the segment; NONE: unknown. */
  CheckedVersion from();

  List<RecordedEvent> events();

  /** Returns the index of the message that completed the segment, for display. */
  int messageIndex();

  /** Separate changes. If there are none, only a position, such as that of a bookmark. */
  record Changes(
      CheckedVersion from, CheckedVersion to, List<RecordedEvent> events, int messageIndex)
      implements Reached {
    public Changes {
      events = List.copyOf(events);
    }
  }

  /** Net effect of a part of the history. */
  record NetEffect(
      CheckedVersion from, CheckedVersion to, List<RecordedEvent> events, int messageIndex)
      implements Reached {
    public NetEffect {
      events = List.copyOf(events);
    }
  }

  /**
   * All matching objects.
   *
   * @param announcedObjects number of objects according to the gateway
   */
  record Snapshot(
      CheckedVersion from,
      CheckedVersion to,
      SnapshotStarted.Reason reason,
      List<RecordedEvent> events,
      long announcedObjects,
      int messageIndex)
      implements Reached {
    public Snapshot {
      events = List.copyOf(events);
    }
  }

  /** Events after the last position, unless they belong to an incomplete group. */
  record Unfinished(CheckedVersion from, List<RecordedEvent> events, int messageIndex)
      implements Segment {
    public Unfinished {
      events = List.copyOf(events);
    }
  }

  /** Segment that ends with a position. */
  sealed interface Reached extends Segment {
    CheckedVersion to();
  }
}
