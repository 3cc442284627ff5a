package io.watchgate.fanout;

import org.jspecify.annotations.Nullable;

/**
 * Those of a group whose transports take no more, who has been waiting longest first. The links are
 * in the streams themselves: where a change is more than the transports take at once, each delivery
 * passes through here, and is to leave no garbage.
 */
final class BlockedStreams {
  private @Nullable LivePhase first;
  private @Nullable LivePhase last;

  @Nullable LivePhase first() {
    return first;
  }

  /** Puts it behind all others; nothing if it is here already. */
  void add(LivePhase stream) {
    if (stream.isAside) {
      return;
    }
    stream.isAside = true;
    stream.asideBefore = last;
    if (last == null) {
      first = stream;
    } else {
      last.asideAfter = stream;
    }
    last = stream;
  }

  /** Takes it out; nothing if it is not here. */
  void remove(LivePhase stream) {
    if (!stream.isAside) {
      return;
    }
    LivePhase before = stream.asideBefore;
    LivePhase after = stream.asideAfter;
    if (before == null) {
      first = after;
    } else {
      before.asideAfter = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.asideBefore = before;
    }
    stream.asideBefore = null;
    stream.asideAfter = null;
    stream.isAside = false;
  }
}
