package io.watchgate.http;

/**
 * Answers requests that change something. Called on a thread that may block; any number at once.
 */
public interface WriteBackend {
  /**
   * Carries out one request.
   *
   * @throws StatusException if it is refused; then nothing was changed
   */
  Answer answer(WriteRequest request) throws StatusException;

  /**
   * What the request is answered with.
   *
   * @param code 200, 201 or 202
   * @param object JSON with kind and apiVersion, as a watch would have it, or a Status
   */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Answer(int code, byte[] object) {}
}
