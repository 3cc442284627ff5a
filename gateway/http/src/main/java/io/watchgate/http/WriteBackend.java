package io.watchgate.http;

/** Backend of write requests. Called on threads that may block, also concurrently. */
public interface WriteBackend {
  /**
   * Carries out one request.
   *
   * @throws StatusException if it is refused; then nothing was changed
   */
  Answer answer(WriteRequest request) throws StatusException;

  /**
   * Response to a write.
   *
   * @param code 200, 201 or 202
   * @param object JSON with kind and apiVersion, as in a watch, or a Status
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Answer(int code, byte[] object) {}
}
