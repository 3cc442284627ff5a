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
 * What a {@link WatchListener} is told, one at a time. Each {@link Changes} may be applied as it
 * comes; the objects of a snapshot are collected between {@link SnapshotBegun} and {@link
 * SnapshotComplete}. All are immutable.
 */
public sealed interface WatchUpdate {

  /** A gateway admitted a stream: the first one, or one after an interruption. */
  record Opened(StreamOpened stream) implements WatchUpdate {}

  /**
   * Collect the objects that follow beside what you hold. {@link Interrupted} before {@link
   * SnapshotComplete}: throw them away and keep what you held.
   *
   * @param estimatedObjects for a progress bar; 0: unknown
   * @param historyId of cluster and type: versions compare only under the same one
   */
  record SnapshotBegun(SnapshotReason reason, long estimatedObjects, String historyId)
      implements WatchUpdate {}

  /** Some of the snapshot's objects, each once, in no order. */
  record SnapshotObjects(List<WatchEvent> objects) implements WatchUpdate {
    public SnapshotObjects {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Put the collected objects in place of what you held: what is missing from them, or has another
   * uid, was deleted.
   *
   * @param objects how many you must now hold
   * @param staleness how far the gateway may have been behind the apiserver
   */
  record SnapshotComplete(Position position, long objects, Duration staleness)
      implements WatchUpdate {}

  /**
   * Changes to apply in order; together they lead to {@code position}.
   *
   * @param netEffect present: these are no single changes but the net effect of a piece of history,
   *     deletes first, to be applied as one
   */
  record Changes(List<WatchEvent> events, Position position, Optional<NetEffect> netEffect)
      implements WatchUpdate {
    public Changes {
      events = List.copyOf(events);
    }
  }

  /**
   * What a net effect stands for.
   *
   * @param eventsReplaced 0: unknown
   */
  record NetEffect(NetEffectReason reason, long eventsReplaced) {}

  /**
   * The gateway is alive, and everything up to {@code position} was sent.
   *
   * @param position empty while the type is still loading or a group is under way
   * @param verifiedAt when the apiserver last proved the gateway's knowledge up to date, by the
   *     gateway's clock
   * @param sentAt by the gateway's clock
   */
  record Bookmark(
      Optional<Position> position, Optional<Instant> verifiedAt, Optional<Instant> sentAt)
      implements WatchUpdate {

    /**
     * The time between the last proof and this bookmark, by the gateway's clock. Empty if either
     * time is unknown, and without a position: the proof is then not of the state that is held.
     */
    public Optional<Duration> age() {
      return position.isPresent() && verifiedAt.isPresent() && sentAt.isPresent()
          ? Optional.of(Duration.between(verifiedAt.get(), sentAt.get()))
          : Optional.empty();
    }
  }

  /**
   * The stream, or an attempt to open the next, ended; the call goes on by itself.
   *
   * @param attempt 1 for the first since the last stream that went on, counting up
   * @param delay until the next stream is opened
   * @param snapshotDiscarded a snapshot was under way: throw away what was collected of it
   */
  record Interrupted(Interruption cause, int attempt, Duration delay, boolean snapshotDiscarded)
      implements WatchUpdate {}

  /**
   * The watch goes on after one or more {@link Interrupted}.
   *
   * @param cause the first interruption
   * @param attempts streams it took to get here
   * @param away from the first interruption to here
   * @param last where it had stopped; empty when no position had been reached
   */
  record Reconnected(
      Interruption cause,
      int attempts,
      Duration away,
      Continuation continuation,
      Optional<Position> last)
      implements WatchUpdate {}

  /** Where a watch goes on. */
  enum Continuation {
    /** Right after the last position. Nothing is missed. */
    RESUMED,
    /** At the beginning: nothing complete had been received, so nothing is missed. */
    STARTED_OVER,
    /**
     * With a snapshot. Changes since the last position are missed as such; the snapshot holds their
     * result.
     */
    SNAPSHOT,
    /**
     * From now, as requested, without a position to go on from: changes in between are missed for
     * good.
     */
    FROM_NOW
  }

  /** The call is over and cannot go on by itself. Nothing follows. */
  record Ended(WatchError error) implements WatchUpdate {}
}
