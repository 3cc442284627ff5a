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

  /**
   * Moves streams off the log if history was trimmed past their next frame. Frames behind history
   * would otherwise stay alive without being accounted for.
   */
  void leaveLogIfTrimmed() {
    LivePhase longest = first;
    while (longest != null && longest.leaveLogIfTrimmed()) {
      longest = first;
    }
  }

  /**
   * Releases sent frames that a lagging stream keeps alive: a stream that reads, but never reaches
   * the end of the log. Moves it off the log if history was trimmed past its next frame.
   */
  void releaseSentFrames() {
    LivePhase next = first;
    while (next != null) {
      LivePhase stream = next;
      next = stream.blockedAfter;
      if (!stream.leaveLogIfTrimmed()) {
        stream.retainNode();
      }
    }
  }
}
