package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeLease;
import io.watchgate.encode.WireFormat;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Thread-safe handle of one stream for other threads than its event loop. Calls that act on the
 * stream are queued to the event loop and run there in order; type, selection and activity are read
 * on the calling thread.
 */
public final class Subscription {
  private final SubscribedStream stream;

  /**
   * Environment of a stream.
   *
   * @param servingOrder {@link StreamLoop#servingOrder} at the time of the call
   * @param userResources resources of the user
   */
  public record Environment(
      StreamLoop loop,
      long servingOrder,
      RouterRegistry routers,
      UserResources userResources,
      FanoutSettings fanoutSettings,
      TimeSource time,
      FanoutMetrics metrics) {}

  /**
   * Request of a stream, checked and resolved.
   *
   * @param opened first response; null if the format has none
   */
  public record Request(
      CompiledSelection selection,
      WireFormat format,
      StreamOptions settings,
      StartPoint start,
      @Nullable StreamOpened opened) {}

  /**
   * @param type lease that the subscription closes when it ends, also if this constructor throws
   * @throws ApiException QUOTA if there are too many feeds
   */
  public Subscription(Environment environment, TypeLease type, Request request, ResponseSink sink)
      throws ApiException {
    RouterRegistry.Lease lease;
    try {
      lease = environment.routers().open(type.cache(), request.selection(), request.format());
    } catch (ApiException e) {
      type.close();
      throw e;
    }
    this.stream = new SubscribedStream(environment, type, lease, request, sink);
  }

  /** Returns the type that the stream watches. */
  public ApiResource type() {
    return stream.type();
  }

  /** Returns what the stream selects. */
  public CompiledSelection selection() {
    return stream.selection();
  }

  /**
   * Returns the activity of the stream, or the one before its end. On other threads than the event
   * loop it may be that of a moment ago.
   */
  public StreamState.Activity lastActivity() {
    return stream.lastActivity();
  }

  /** Starts the stream. Called once. */
  public void open() {
    open(() -> {});
  }

  /**
   * Starts the stream. Called once.
   *
   * @param opening runs on the event loop just before the stream starts; calls that it makes here
   *     are queued behind the start
   */
  public void open(Runnable opening) {
    stream.execute(
        () -> {
          opening.run();
          stream.open();
        });
  }

  /** Sends a bookmark as soon as the stream is at a position. */
  public void sendBookmark() {
    stream.execute(stream::sendBookmark);
  }

  /** Wakes the stream, because the transport is ready again. */
  public void wake() {
    stream.wake();
  }

  /**
   * Reports that the transport has closed the stream. The client has left or has read everything up
   * to the end, or the transport itself failed, which it reports in no other way.
   *
   * @param end way in which the stream ended, if the gateway has not ended it before
   */
  public void transportClosed(ClientEnd end) {
    stream.execute(() -> stream.transportClosed(end));
  }

  /**
   * Asks the client to reconnect: sends the notice with the position, then ends the stream. A
   * snapshot or net effect in progress is completed first, so that it was not sent in vain.
   *
   * @param after delay, so that many streams leave one after the other
   */
  public void goAway(GoingAwayNotice notice, Duration after) {
    stream.execute(() -> stream.goAway(notice, after));
  }

  /** Asks the client to reconnect at once, even during a snapshot or net effect. */
  public void goAwayNow(GoingAwayNotice notice) {
    stream.execute(() -> stream.goAwayNow(notice));
  }

  /** Ends the stream at once, in any phase, with only this error. */
  public void terminate(ApiError refusal) {
    stream.execute(() -> stream.terminate(refusal));
  }

  /**
   * Asks the client to reconnect if the stream is caught up; otherwise does nothing.
   *
   * @param outcome receives whether the stream was ended; not called if the event loop has ended
   */
  public void goAwayIfKeepingUp(GoingAwayNotice notice, Consumer<Boolean> outcome) {
    stream.execute(() -> outcome.accept(stream.goAwayIfKeepingUp(notice)));
  }
}
