package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Protocol;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** A call that can be ended from another thread, and that knows why it was. */
final class CancellableCall {
  private final String what;
  private final Call call;
  private final ScheduledExecutorService timer;
  private final AtomicReference<@Nullable UpstreamFailure> ended = new AtomicReference<>();

  private volatile boolean pinged;

  CancellableCall(String what, Call call, ScheduledExecutorService timer) {
    this.what = what;
    this.call = call;
    this.timer = timer;
  }

  /** What it asks for, in words. */
  String what() {
    return what;
  }

  Response execute() throws IOException {
    Response response = call.execute();
    pinged = response.protocol() != Protocol.HTTP_1_1 && response.protocol() != Protocol.HTTP_1_0;
    return response;
  }

  /** Whether the connection is kept alive by HTTP/2 pings, so that silence alone means nothing. */
  boolean isPinged() {
    return pinged;
  }

  /** Ends the call, for the first of the reasons given. */
  void end(UpstreamFailure reason) {
    if (ended.compareAndSet(null, reason)) {
      call.cancel();
    }
  }

  /** Ends the call after a while, unless what is returned is cancelled before. */
  Future<?> endAfter(Duration time, UpstreamFailure reason) {
    return timer.schedule(() -> end(reason), time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** The call's answer; once begun, the clock ends the call when nothing comes for a while. */
  IdleTimeoutInputStream heard(InputStream answer, Duration silence, UpstreamFailure reason) {
    return new IdleTimeoutInputStream(answer, silence, timer, () -> end(reason));
  }

  /** Why the call was ended from here, or else what was seen of it. */
  UpstreamFailure endedOr(UpstreamFailure seen) {
    UpstreamFailure reason = ended.get();
    return reason != null ? reason : seen;
  }
}
