package io.watchgate.fanout;

import org.jspecify.annotations.Nullable;

/**
 * Followers of one feed whose transports are not writable, the longest blocked first. The links are
 * stored in the streams themselves. If a change is larger than the transports accept at once, every
 * delivery passes through this list, so the list must not allocate.
 */
final class BlockedStreams {
  private @Nullable LivePhase first;
  private @Nullable LivePhase last;

  @Nullable LivePhase first() {
    return first;
  }

  /** Appends a stream. Does nothing if the list already contains it. */
  void add(LivePhase stream) {
    if (stream.isBlocked) {
      return;
    }
    stream.isBlocked = true;
    stream.blockedBefore = last;
    if (last == null) {
      first = stream;
    } else {
      last.blockedAfter = stream;
    }
    last = stream;
  }

  /** Removes a stream. Does nothing if the list does not contain it. */
  void remove(LivePhase stream) {
    if (!stream.isBlocked) {
      return;
    }
    LivePhase before = stream.blockedBefore;
    LivePhase after = stream.blockedAfter;
    if (before == null) {
      first = after;
    } else {
      before.blockedAfter = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.blockedBefore = before;
    }
    stream.blockedBefore = null;
    stream.blockedAfter = null;
    stream.isBlocked = false;
  }
}
