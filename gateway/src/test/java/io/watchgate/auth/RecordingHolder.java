package io.watchgate.auth;

import io.watchgate.fanout.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Listener that records its notifications. Thread-safe. */
final class RecordingHolder implements GrantListener {
  private final AtomicInteger reauthenticated = new AtomicInteger();
  private final List<ApiError> expelled = new CopyOnWriteArrayList<>();

  @Override
  public void reauthenticate() {
    reauthenticated.incrementAndGet();
  }

  @Override
  public void revoke(ApiError refusal) {
    expelled.add(refusal);
  }

  int reauthenticated() {
    return reauthenticated.get();
  }

  boolean isExpelled() {
    return !expelled.isEmpty();
  }

  /** Returns the reason of the first expulsion. */
  ErrorReason reason() {
    return refusal().reason();
  }

  ApiError refusal() {
    if (expelled.isEmpty()) {
      throw new AssertionError("not expelled");
    }
    return expelled.getFirst();
  }
}
