package io.watchgate.browser;

import io.watchgate.grpc.CallOutput;
import io.watchgate.grpc.CallOutputListener;
import io.watchgate.http.StreamedResponse;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Output of a call whose responses are pieces of one HTTP response. Confined to the event loop of
 * its call.
 */
abstract class HttpCallOutput implements CallOutput, StreamedResponse.Listener {
  private final BiFunction<Executor, StreamedResponse.Listener, StreamedResponse> responses;
  private final Duration interval;
  private @Nullable StreamedResponse response;
  private @Nullable CallOutputListener listener;
  private @Nullable Future<?> checks;

  /**
   * @param responses creates the response, whose tasks run on the given executor
   * @param interval time between two calls of {@link #onInterval}
   */
  HttpCallOutput(
      BiFunction<Executor, StreamedResponse.Listener, StreamedResponse> responses,
      Duration interval) {
    this.responses = responses;
    this.interval = interval;
  }

  @Override
  public final void begin(CallOutputListener call, ScheduledExecutorService loop) {
    listener = call;
    response = responses.apply(untilClosed(loop), this);
    long nanos = interval.toNanos();
    checks = loop.scheduleWithFixedDelay(this::check, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** The HTTP server may report events after the end of the event loops. */
  private static Executor untilClosed(ScheduledExecutorService loop) {
    return task -> {
      try {
        loop.execute(task);
      } catch (RejectedExecutionException e) {
        if (!loop.isShutdown()) {
          throw e;
        }
      }
    };
  }

  final StreamedResponse response() {
    StreamedResponse begun = response;
    if (begun == null) {
      throw new IllegalStateException("the call has not begun");
    }
    return begun;
  }

  /** An exception would end the checks without a trace; it ends the call instead. */
  private void check() {
    try {
      onInterval();
    } catch (RuntimeException e) {
      stopChecks();
      report(begun -> begun.onFailed(e));
    }
  }

  /** Ends the call if its client has gone; called again and again. */
  void onInterval() {
    response().checkConnection();
  }

  @Override
  public final boolean isReady() {
    return response().isReady();
  }

  @Override
  public final void onReady() {
    report(CallOutputListener::onReady);
  }

  @Override
  public final void onGone() {
    stopChecks();
    report(CallOutputListener::onGone);
  }

  @Override
  public final void onEnded() {
    stopChecks();
    report(CallOutputListener::onEnded);
  }

  private void report(Consumer<CallOutputListener> event) {
    CallOutputListener begun = listener;
    if (begun != null) {
      event.accept(begun);
    }
  }

  private void stopChecks() {
    Future<?> running = checks;
    if (running != null) {
      running.cancel(false);
    }
  }
}
