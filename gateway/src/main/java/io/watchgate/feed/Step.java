package io.watchgate.feed;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/** What leads on from a place in a feed's chain. */
sealed interface Step {

  /** The place after this one, which this one keeps; null for none. */
  @Nullable Node holds();

  /**
   * The changes of one revision that the feed selects, encoded once for all who follow it.
   *
   * @param before the revision whose state, as far as the feed selects from it, is the one of
   *     whoever has yet to send this
   * @param events as pieces of a response; those of a single event are shared with other feeds
   * @param end position and token, as the last piece of a response
   * @param response events and end: a whole response
   * @param count how many events
   * @param whole the most that one of them demands of a client ({@link Encoded#whole})
   * @param position what is reached by it
   * @param receivedNanos when it came from the apiserver
   * @param after where one is then
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by identity, as are all of them
  record Frame(
      Revision before,
      Slices events,
      byte[] end,
      Slices response,
      int count,
      int whole,
      Position position,
      long receivedNanos,
      Node after)
      implements Step {

    @Override
    public Node holds() {
      return after;
    }
  }

  /**
   * The chain ends here: what follows on {@code before} is to be read from the cache. The apiserver
   * was listed anew, the history lost, the type ended, or a replay is long enough.
   *
   * @param after where the chain goes on for others
   */
  record Cut(Revision before, Node after) implements Step {

    @Override
    public Node holds() {
      return after;
    }
  }

  /** A replay has come to where the feed was when it began. */
  record Link(Node to) implements Step {

    /** It is kept for each who is on the way there ({@link Entrance}). */
    @Override
    public @Nullable Node holds() {
      return null;
    }
  }

  /** Nobody can come here any more. */
  enum Gone implements Step {
    GONE;

    @Override
    public @Nullable Node holds() {
      return null;
    }
  }
}
