package io.watchgate.fanout;

import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeLease;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * One stream, as all threads but its owner's know it: what they have to say is done on the owner,
 * one after the other. Thread-safe.
 */
public final class Subscription {
  private final SubscriptionTask stream;

  /**
   * What a stream lives in.
   *
   * @param arrival {@link StreamLoop#arrival} when its call came
   * @param account of whose it is
   */
  public record Environment(
      StreamLoop owner,
      long arrival,
      RouterRegistry routers,
      UserResources account,
      FanoutSettings waits,
      TimeSource time,
      FanoutMetrics metrics) {}

  /** What a stream asks for, checked and resolved. */
  public record Request(
      CompiledSelection selection,
      ObjectProjection projection,
      StreamSettings settings,
      StartPoint start,
      ResumeTokenCodec tokens,
      StreamOpened opened) {}

  /**
   * @param type a lease, which the subscription gives back when it ends, also if this throws
   * @throws ApiException QUOTA where there are too many feeds
   */
  public Subscription(Environment environment, TypeLease type, Request request, ResponseSink outlet)
      throws ApiException {
    RouterRegistry.Lease lease;
    try {
      lease =
          environment
              .routers()
              .open(type.cache(), request.selection(), request.projection(), request.tokens());
    } catch (ApiException e) {
      type.close();
      throw e;
    }
    this.stream = new SubscriptionTask(environment, type, lease, request, outlet);
  }

  /** Begins. Called once. */
  public void open() {
    stream.execute(stream::open);
  }

  /** There may be something to do: the transport is ready again. */
  public void wake() {
    stream.wake();
  }

  /**
   * The transport has let go of it: the client is gone, or has all that was sent before the end; or
   * the transport itself failed, which it tells nobody else.
   */
  public void left() {
    left(ClientEnd.CLIENT);
  }

  /** The same, with the way in which it ended if it had no end before. */
  public void left(ClientEnd how) {
    stream.execute(() -> stream.left(how));
  }

  /**
   * Has it go on elsewhere: says so, with its position, and ends. In the middle of a group it waits
   * for the end of that, so that what was sent is not in vain.
   *
   * @param after not at once, so that a crowd leaves one after the other
   */
  public void depart(GoingAwayNotice departure, Duration after) {
    stream.execute(() -> stream.depart(departure, after));
  }

  /** The same at once, also in the middle of a group. */
  public void departNow(GoingAwayNotice departure) {
    stream.execute(() -> stream.departNow(departure));
  }

  /** Ends it at once, wherever it stands, and says no more than why. */
  public void expel(ApiError refusal) {
    stream.execute(() -> stream.expel(refusal));
  }

  /**
   * Has it go on elsewhere if it has everything; else it stays.
   *
   * @param told whether it left; not called if the owner has ended
   */
  public void departIfCaughtUp(GoingAwayNotice departure, Consumer<Boolean> told) {
    stream.execute(() -> told.accept(stream.departsCaughtUp(departure)));
  }
}
