package io.watchgate.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Opens calls on the one channel. Thread-safe. */
final class ReplicaChannel {
  private final ManagedChannel channel;

  ReplicaChannel(ManagedChannel channel) {
    this.channel = channel;
  }

  /** A call whose callbacks run on {@code owner}. */
  ClientCall<ListAndWatchRequest, ListAndWatchResponse> newCall(
      Executor owner, int maxInboundBytes) {
    wake();
    return channel.newCall(
        WatchServiceGrpc.getListAndWatchMethod(),
        CallOptions.DEFAULT.withExecutor(owner).withMaxInboundMessageSize(maxInboundBytes));
  }

  /** For a call that is answered once. */
  WatchServiceGrpc.WatchServiceBlockingStub stub(Duration timeout) {
    wake();
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void wake() {
    // A channel that failed to connect answers calls with that old failure until its own backoff
    // of up to two minutes is over. Idle, it connects anew for this call and fails it, if it
    // fails, with what happens now. When to try is for our backoff to say.
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.enterIdle();
    }
  }
}
