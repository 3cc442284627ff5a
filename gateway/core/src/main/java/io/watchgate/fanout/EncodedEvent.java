package io.watchgate.fanout;

/**
 * Encoded event, as a part of a response.
 *
 * @param requiredReceiveLimit smallest {@code max_response_bytes} with which a client can hold this
 *     object before and after the event, without patches; clients with a smaller limit are not sent
 *     this encoding
 */
record EncodedEvent(ByteSlices event, int requiredReceiveLimit) {

  /** Returns an event that requires only its own size. */
  static EncodedEvent of(ByteSlices event) {
    return new EncodedEvent(event, event.size());
  }
}
