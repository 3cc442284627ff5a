package io.watchgate.auth;

import io.watchgate.fanout.ApiError;

/** A stream that is open by somebody's right. Called from any thread; must not block. */
public interface GrantListener {
  /** It has to go on with newer credentials soon, once it stands at a position. */
  void reauthenticate();

  /** It ends. Once this has returned, nothing more is handed to its transport. */
  void expel(ApiError refusal);
}
