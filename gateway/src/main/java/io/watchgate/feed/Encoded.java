package io.watchgate.feed;

/**
 * An event as a piece of a response.
 *
 * @param whole how many bytes a client has to take that has the object without patches before the
 *     event and after it; for one that takes less, it is not meant
 */
record Encoded(Slices event, int whole) {

  /** One that needs nothing but itself. */
  static Encoded of(Slices event) {
    return new Encoded(event, event.size());
  }
}
