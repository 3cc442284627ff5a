package io.watchgate.fanout;

import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Transport whose readiness the test sets, and which keeps the sent bytes unchanged. */
final class KeptOutlet implements ResponseSink {
  final List<ByteSlices> sent = new ArrayList<>();
  @Nullable Subscription subscription;
  Object connection = this;
  boolean ready = true;
  Runnable onSend = () -> {};
  private @Nullable ApiError refusal;
  private boolean mayFail;
  private boolean failed;

  Subscription subscription() {
    return Objects.requireNonNull(subscription);
  }

  KeptOutlet stalled() {
    ready = false;
    return this;
  }

  /** Expects the stream to fail. */
  KeptOutlet failing() {
    mayFail = true;
    return this;
  }

  boolean hasFailed() {
    return failed;
  }

  /** Makes the transport ready again. */
  void read() {
    ready = true;
    subscription().wake();
  }

  KeptOutlet on(Object shared) {
    connection = shared;
    return this;
  }

  @Override
  public Object connection() {
    return connection;
  }

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public void send(ByteSlices response) {
    sent.add(response);
    onSend.run();
  }

  @Override
  public void end(ApiError reason) {
    refusal = reason;
  }

  @Override
  public void fail() {
    failed = true;
    if (mayFail) {
      return;
    }
    throw new AssertionError("the stream failed; its log says how");
  }

  @Nullable ApiError refusal() {
    return refusal;
  }

  ByteSlices last() {
    return sent.getLast();
  }

  ListAndWatchResponse lastResponse() {
    return RecordingOutlet.parse(last());
  }

  List<ListAndWatchResponse> responses() {
    return sent.stream().map(RecordingOutlet::parse).toList();
  }

  /** Returns the versions of the sent changes. */
  List<String> changes() {
    return responses().stream()
        .flatMap(response -> response.getEventsList().stream())
        .filter(WatchEvent::hasReceiveTime)
        .map(WatchEvent::getResourceVersion)
        .toList();
  }
}
