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

/** Factory of calls on the one channel to a replica. Thread-safe. */
final class ReplicaChannel {
  private final ManagedChannel channel;

  ReplicaChannel(ManagedChannel channel) {
    this.channel = channel;
  }

  /** Returns a new call whose callbacks run on {@code owner}. */
  ClientCall<ListAndWatchRequest, ListAndWatchResponse> newCall(
      Executor owner, int maxInboundBytes) {
    wake();
    return channel.newCall(
        WatchServiceGrpc.getListAndWatchMethod(),
        CallOptions.DEFAULT.withExecutor(owner).withMaxInboundMessageSize(maxInboundBytes));
  }

  /** Returns a stub for unary calls. */
  WatchServiceGrpc.WatchServiceBlockingStub stub(Duration timeout) {
    wake();
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void wake() {
    // A channel that failed to connect fails all calls with that old error until its own backoff of
    // up to two minutes is over. In the idle state it connects again for this call and reports the
    // current error. The backoff of this client decides when to retry.
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      channel.enterIdle();
    }
  }
}
