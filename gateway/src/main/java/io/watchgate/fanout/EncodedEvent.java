package io.watchgate.fanout;

/**
 * An event as a piece of a response.
 *
 * @param whole how many bytes a client has to take that has the object without patches before the
 *     event and after it; for one that takes less, it is not meant
 */
record EncodedEvent(ByteSlices event, int whole) {

  /** One that needs nothing but itself. */
  static EncodedEvent of(ByteSlices event) {
    return new EncodedEvent(event, event.size());
  }
}
