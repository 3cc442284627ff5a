package io.watchgate.client;

import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Update of a watch, as delivered to a {@link WatchListener}. Each {@link Changes} may be applied
 * on arrival; the objects of a snapshot are collected between {@link SnapshotBegun} and {@link
 * SnapshotComplete}. All updates are immutable.
 */
public sealed interface WatchUpdate {

  /** A gateway admitted a stream: the first stream, or a stream after an interruption. */
  record Opened(StreamOpened stream) implements WatchUpdate {}

  /**
   * A snapshot begins. Collect its objects separately from the current state. If {@link
   * Interrupted} arrives before {@link SnapshotComplete}, discard them and keep the current state.
   *
   * @param estimatedObjects estimate for a progress bar; 0: unknown
   * @param historyId identifies cluster and type; versions are comparable only under the same id
   */
  record SnapshotBegun(SnapshotReason reason, long estimatedObjects, String historyId)
      implements WatchUpdate {}

  /** A part of the snapshot's objects, in no order. Each object is sent once. */
  record SnapshotObjects(List<WatchEvent> objects) implements WatchUpdate {
    public SnapshotObjects {
      objects = List.copyOf(objects);
    }
  }

  /**
   * The snapshot is complete. Replace the current state with the collected objects: an object that
   * is missing from them, or has another uid, was deleted.
   *
   * @param objects number of objects in the new state
   * @param staleness how far the gateway may have been behind the apiserver
   */
  record SnapshotComplete(Position position, long objects, Duration staleness)
      implements WatchUpdate {}

  /**
   * Changes to apply in order; together they lead to {@code position}.
   *
   * @param netEffect if present, the events are not single changes but the net effect of a piece of
   *     history, deletes first, to be applied together
   */
  record Changes(List<WatchEvent> events, Position position, Optional<NetEffect> netEffect)
      implements WatchUpdate {
    public Changes {
      events = List.copyOf(events);
    }
  }

  /**
   * Range of history that a net effect replaces.
   *
   * @param eventsReplaced 0: unknown
   */
  record NetEffect(NetEffectReason reason, long eventsReplaced) {}

  /**
   * The gateway is alive and has sent everything up to {@code position}.
   *
   * @param position empty while the type is loading or a group is incomplete
   * @param verifiedAt last time at which the apiserver proved the gateway's state current, by the
   *     gateway's clock
   * @param sentAt by the gateway's clock
   */
  record Bookmark(
      Optional<Position> position, Optional<Instant> verifiedAt, Optional<Instant> sentAt)
      implements WatchUpdate {

    /**
     * Returns the time between {@code verifiedAt} and {@code sentAt}, by the gateway's clock. Empty
     * if either time is unknown. Empty as well without a position, because the proof then does not
     * concern the state of the client.
     */
    public Optional<Duration> age() {
      return position.isPresent() && verifiedAt.isPresent() && sentAt.isPresent()
          ? Optional.of(Duration.between(verifiedAt.get(), sentAt.get()))
          : Optional.empty();
    }
  }

  /**
   * The stream, or an attempt to open the next one, ended. The watch continues by itself.
   *
   * @param attempt number of attempts since the last working stream, starting at 1
   * @param delay wait before the next stream is opened
   * @param snapshotDiscarded whether a snapshot was incomplete: discard its collected objects
   */
  record Interrupted(Interruption cause, int attempt, Duration delay, boolean snapshotDiscarded)
      implements WatchUpdate {}

  /**
   * The watch continues after one or more {@link Interrupted}.
   *
   * @param cause the first interruption
   * @param attempts number of streams that were tried
   * @param outage time since the first interruption
   * @param lastPosition position before the outage; empty if no position had been reached
   */
  record Reconnected(
      Interruption cause,
      int attempts,
      Duration outage,
      Continuation continuation,
      Optional<Position> lastPosition)
      implements WatchUpdate {}

  /** Point at which a watch continues after an outage. */
  enum Continuation {
    /** Directly after the last position. No change is missed. */
    RESUMED,
    /** At the beginning: nothing complete had been received, so no change is missed. */
    STARTED_OVER,
    /**
     * With a snapshot. Single changes since the last position are missed; the snapshot holds their
     * result.
     */
    SNAPSHOT,
    /**
     * From now, as requested, because there is no position to resume from: changes in between are
     * missed permanently.
     */
    FROM_NOW
  }

  /** The watch has ended and cannot continue by itself. No update follows. */
  record Ended(WatchError error) implements WatchUpdate {}
}
