package io.watchgate.http;

import io.watchgate.auth.GrantListener;
import io.watchgate.error.ApiError;
import io.watchgate.fanout.GoingAwayNotice;
import org.jspecify.annotations.Nullable;

/** Permission of a watch, which may be withdrawn before the watch is open. Thread-safe. */
final class WatchGrant implements GrantListener {
  private @Nullable HttpWatch watch;
  private @Nullable ApiError revoked;
  private boolean expiring;

  /** Sets the watch, once. */
  synchronized void attach(HttpWatch opened) {
    watch = opened;
    if (revoked != null) {
      opened.revoke(revoked);
    } else if (expiring) {
      opened.leave(GoingAwayNotice.reauthenticate());
    }
  }

  @Override
  public synchronized void reauthenticate() {
    expiring = true;
    if (watch != null) {
      watch.leave(GoingAwayNotice.reauthenticate());
    }
  }

  @Override
  public synchronized void revoke(ApiError refusal) {
    revoked = refusal;
    if (watch != null) {
      watch.revoke(refusal);
    }
  }
}
