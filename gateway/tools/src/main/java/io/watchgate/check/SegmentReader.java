package io.watchgate.check;

import io.watchgate.check.RecordedSignal.NetEffectStarted;
import io.watchgate.check.RecordedSignal.Opened;
import io.watchgate.check.RecordedSignal.Plain;
import io.watchgate.check.RecordedSignal.SnapshotStarted;
import io.watchgate.check.RecordedSignal.Synced;
import java.util.ArrayList;
import java.util.List;

/**
 * Splitter of a stream's messages into segments, as a client that follows the contract applies
 * them. It stops where another timeline begins, because the truth covers one timeline only.
 */
final class SegmentReader {
  private final List<Segment> segments = new ArrayList<>();
  private final List<RecordedEvent> pending = new ArrayList<>();
  private RecordedSignal group = Plain.NONE;
  private CheckedVersion position;

  private SegmentReader(CheckedVersion start) {
    this.position = start;
  }

  static List<Segment> of(Session session) {
    SegmentReader reader = new SegmentReader(session.request().start().floor());
    for (int at = 0; at < session.messages().size(); at++) {
      if (session.messages().get(at) instanceof RecordedMessage.Response response
          && !reader.add(response, at, session.history())) {
        return reader.segments;
      }
    }
    if (!reader.pending.isEmpty() && reader.group == Plain.NONE) {
      reader.segments.add(
          new Segment.Unfinished(reader.position, reader.pending, session.messages().size() - 1));
    }
    return reader.segments;
  }

  /** Processes a response. Returns whether the response belongs to the same timeline. */
  private boolean add(RecordedMessage.Response response, int at, String history) {
    pending.addAll(response.events());
    switch (response.signal()) {
      case SnapshotStarted started -> {
        if (started.reason().startsAnotherHistory() || !started.history().equals(history)) {
          return false;
        }
        group = started;
        pending.clear();
      }
      case NetEffectStarted started -> {
        group = started;
        pending.clear();
      }
      case Synced synced -> {
        if (group instanceof SnapshotStarted started) {
          segments.add(
              new Segment.Snapshot(
                  position, response.version(), started.reason(), pending, synced.objects(), at));
        }
        endSegment(response);
        return true;
      }
      case Opened _, RecordedSignal.Bookmark _, Plain _ -> {}
    }
    if (response.hasPosition()) {
      segments.add(
          group instanceof NetEffectStarted
              ? new Segment.NetEffect(position, response.version(), pending, at)
              : new Segment.Changes(position, response.version(), pending, at));
      endSegment(response);
    }
    return true;
  }

  private void endSegment(RecordedMessage.Response response) {
    if (response.hasPosition()) {
      position = response.version();
    }
    group = Plain.NONE;
    pending.clear();
  }
}
