package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.EventEncoder;
import io.watchgate.encode.Position;
import org.jspecify.annotations.Nullable;

/** Entry of a frame log: the link from one node to the next. */
sealed interface LogEntry {

  /** Returns the next node, to which this entry holds a reference; null if it holds none. */
  @Nullable FrameNode retainedNode();

  /**
   * Changes of one revision that the feed selects, encoded once for all followers.
   *
   * @param before revision before the changes; for this feed its state equals that of every stream
   *     that has yet to send this frame
   * @param events events, as parts of a response; single events are shared with other feeds
   * @param end last part of a response that leads to the position
   * @param response events and end: a complete response
   * @param count number of events
   * @param requiredReceiveLimit largest {@link EventEncoder.EncodedEvent#requiredReceiveLimit} of
   *     the events
   * @param position position that a client reaches with this frame
   * @param receivedNanos time at which the revision was received from the apiserver
   * @param after node after this frame
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity, as are all components
  record Frame(
      Revision before,
      ByteSlices events,
      byte[] end,
      ByteSlices response,
      int count,
      int requiredReceiveLimit,
      Position position,
      long receivedNanos,
      FrameNode after)
      implements LogEntry {

    /**
     * Returns whether the frame does not fit into a response with {@code maxEventBytes} of events.
     */
    boolean isTooLarge(int maxEventBytes) {
      return requiredReceiveLimit > maxEventBytes
          || (count > 1 && events.size() > ResponseWriter.targetBytes(maxEventBytes));
    }

    @Override
    public FrameNode retainedNode() {
      return after;
    }
  }

  /**
   * Several frames as one response.
   *
   * @param limit maximum bytes of events
   */
  record JoinedFrames(Frame first, Frame last, ByteSlices response, int count, int limit) {

    /** Joins a frame and as many following frames as fit. */
    static JoinedFrames from(Frame first, int limit) {
      Frame last = first;
      int bytes = first.response().size();
      int count = first.count();
      ByteSlices.Builder events = new ByteSlices.Builder(64).add(first.events());
      while (last.after().next() instanceof Frame next
          && bytes + next.events().size() <= limit
          && next.requiredReceiveLimit() <= limit) {
        events.add(next.events());
        bytes += next.events().size();
        count += next.count();
        last = next;
      }
      return new JoinedFrames(first, last, events.add(last.end()).build(), count, limit);
    }
  }

  /**
   * End of the log for streams before it: changes after {@code before} must be read from the cache.
   * The apiserver was listed again, the history was lost, the type ended, or a replay reached its
   * limit.
   *
   * @param after node at which the log continues for other streams
   */
  record Gap(Revision before, FrameNode after) implements LogEntry {

    @Override
    public FrameNode retainedNode() {
      return after;
    }
  }

  /**
   * End of a replay: continues at the node that was the end of the feed's log when the replay was
   * requested.
   */
  record Splice(FrameNode to) implements LogEntry {

    /** Returns null: each {@link JoinPoint} holds its own reference to the target. */
    @Override
    public @Nullable FrameNode retainedNode() {
      return null;
    }
  }

  /** Entry of an unlinked node, which no stream can reach. */
  enum Released implements LogEntry {
    GONE;

    @Override
    public @Nullable FrameNode retainedNode() {
      return null;
    }
  }
}
