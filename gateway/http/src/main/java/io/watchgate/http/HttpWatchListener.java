package io.watchgate.http;

import io.watchgate.error.ApiError;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.proto.v1.ErrorReason;

/** Receiver of the events of one watch. Called on its event loop; must not block. */
interface HttpWatchListener {
  /** Returns the client, for operators. From any thread. */
  default StreamIdentity identity() {
    return StreamIdentity.UNKNOWN;
  }

  /** The watch has a start, and its response begins. */
  default void begun() {}

  /**
   * The watch cannot begin from the cache. Called after {@link #ended}; the request is unanswered,
   * and the listener answers or relays it.
   */
  void cannotBegin(ApiError error);

  /**
   * The watch is over, or was not opened. Called once.
   *
   * @param reason UNSPECIFIED if the gateway gave none
   * @param by side that ended it; valid if there is no reason
   * @param bytes bytes of its frames
   */
  default void ended(ErrorReason reason, ProxyAudit.Side by, long bytes) {}
}
