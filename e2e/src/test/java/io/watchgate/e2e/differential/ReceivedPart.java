package io.watchgate.e2e.differential;

import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Part of the gateway's responses that is complete at a position. */
sealed interface ReceivedPart {
  long position();

  /** Returns one descriptive line for each event. */
  List<String> lines();

  /** Single changes; empty if there is only a new position. */
  record Changes(long position, List<WatchEvent> events) implements ReceivedPart {
    @Override
    public List<String> lines() {
      return Stream.concat(
              events.stream().map(ReceivedPart::describe), Stream.of("(position " + position + ")"))
          .toList();
    }
  }

  /**
   * Net effect that replaces a range of changes.
   *
   * @param start announcement of the net effect
   * @param oldest oldest version of the gateway's history, read after the announcement
   * @param isFirst whether the stream was resumed and had no other net effect
   */
  record NetEffect(
      long position,
      NetEffectStarted start,
      CompletableFuture<Long> oldest,
      boolean isFirst,
      List<WatchEvent> events)
      implements ReceivedPart {
    NetEffectReason reason() {
      return start.getReason();
    }

    @Override
    public List<String> lines() {
      return List.of("%s: %d events up to %d".formatted(reason(), events.size(), position));
    }
  }

  /** All matching objects, by key. */
  record Snapshot(long position, SnapshotReason reason, Map<String, WatchEvent> objects)
      implements ReceivedPart {
    @Override
    public List<String> lines() {
      return List.of("%s: %d objects at %d".formatted(reason, objects.size(), position));
    }
  }

  /** Returns a description of an event without its object. */
  static String describe(WatchEvent event) {
    return "%s %s %s at %s"
        .formatted(
            event.getType().name().replace("EVENT_TYPE_", ""),
            Subscriber.keyOf(event),
            event.getKey().getUid(),
            event.getResourceVersion());
  }
}
