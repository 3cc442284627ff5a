package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Protocol;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Call that can be cancelled from another thread, and that keeps the reason. */
final class CancellableCall {
  private final String description;
  private final Call call;
  private final ScheduledExecutorService timer;
  private final AtomicReference<@Nullable UpstreamFailure> cancelReason = new AtomicReference<>();

  private volatile boolean pinged;

  CancellableCall(String description, Call call, ScheduledExecutorService timer) {
    this.description = description;
    this.call = call;
    this.timer = timer;
  }

  /** Returns the description of the request. */
  String description() {
    return description;
  }

  Response execute() throws IOException {
    Response response = call.execute();
    pinged = response.protocol() != Protocol.HTTP_1_1 && response.protocol() != Protocol.HTTP_1_0;
    return response;
  }

  /**
   * Returns whether the connection is kept alive by HTTP/2 pings, so that silence alone is no
   * failure.
   */
  boolean isPinged() {
    return pinged;
  }

  /** Cancels the call; of several reasons, the first is kept. */
  void cancelWith(UpstreamFailure reason) {
    if (cancelReason.compareAndSet(null, reason)) {
      call.cancel();
    }
  }

  /** Cancels the call after a delay, unless the returned future is cancelled before. */
  Future<?> cancelAfter(Duration time, UpstreamFailure reason) {
    return timer.schedule(() -> cancelWith(reason), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the reason of the cancellation, or else the observed failure. */
  UpstreamFailure reasonOr(UpstreamFailure seen) {
    UpstreamFailure reason = cancelReason.get();
    return reason != null ? reason : seen;
  }
}
