package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/** What leads on from a place in a feed's chain. */
sealed interface LogEntry {

  /** The place after this one, which this one keeps; null for none. */
  @Nullable FrameNode holds();

  /**
   * The changes of one revision that the feed selects, encoded once for all who follow it.
   *
   * @param before the revision whose state, as far as the feed selects from it, is the one of
   *     whoever has yet to send this
   * @param events as pieces of a response; those of a single event are shared with other feeds
   * @param end position and token, as the last piece of a response
   * @param response events and end: a whole response
   * @param count how many events
   * @param whole the most that one of them demands of a client ({@link EncodedEvent#whole})
   * @param position what is reached by it
   * @param receivedNanos when it came from the apiserver
   * @param after where one is then
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity, as are all of them
  record Frame(
      Revision before,
      ByteSlices events,
      byte[] end,
      ByteSlices response,
      int count,
      int whole,
      Position position,
      long receivedNanos,
      FrameNode after)
      implements LogEntry {

    @Override
    public FrameNode holds() {
      return after;
    }
  }

  /**
   * The chain ends here: what follows on {@code before} is to be read from the cache. The apiserver
   * was listed anew, the history lost, the type ended, or a replay is long enough.
   *
   * @param after where the chain goes on for others
   */
  record Gap(Revision before, FrameNode after) implements LogEntry {

    @Override
    public FrameNode holds() {
      return after;
    }
  }

  /** A replay has come to where the feed was when it began. */
  record Splice(FrameNode to) implements LogEntry {

    /** It is kept for each who is on the way there ({@link JoinPoint}). */
    @Override
    public @Nullable FrameNode holds() {
      return null;
    }
  }

  /** Nobody can come here any more. */
  enum Released implements LogEntry {
    GONE;

    @Override
    public @Nullable FrameNode holds() {
      return null;
    }
  }
}
