package io.watchgate.auth;

import io.watchgate.error.ApiError;

/** Listener of a stream's grant. Called from any thread; must not block. */
public interface GrantListener {
  /**
   * Requests that the stream is resumed with newer credentials soon, once it has reached a
   * position.
   */
  void reauthenticate();

  /**
   * Ends the stream. Once this method has returned, nothing more is handed to the stream's
   * transport.
   */
  void revoke(ApiError error);
}
