package io.watchgate.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.cache.OpenType;
import io.watchgate.feed.Owner;
import io.watchgate.feed.RefusedException;
import io.watchgate.feed.StartPoint;
import io.watchgate.feed.StreamSettings;
import io.watchgate.feed.Subscription;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The three methods of the contract. Each call runs on a virtual thread, which may block while the
 * apiserver is asked for a type; a stream then belongs to its owner, and the call's thread is done.
 */
final class WatchService extends WatchServiceGrpc.WatchServiceImplBase {
  private static final Logger log = LoggerFactory.getLogger(WatchService.class);

  private final GatewayContext context;
  private final Resolver resolver;
  private final Admission admission;
  private final ObjectLister lister;
  private final TypeLister types;
  private final AtomicLong streams = new AtomicLong();
  private volatile Optional<Duration> drained = Optional.empty();
  private final Set<Subscription> open = ConcurrentHashMap.newKeySet();

  WatchService(GatewayContext context, Admission admission) {
    this.context = context;
    this.admission = admission;
    this.resolver = new Resolver(context.types(), context.clusterId());
    this.lister = new ObjectLister(context, resolver, admission);
    this.types = new TypeLister(context);
  }

  /** Answers a call, or throws what is answered instead. */
  private interface Answer<T> {
    T get() throws RefusedException, InterruptedException;
  }

  private static <T> void answer(StreamObserver<T> observer, Answer<T> answer) {
    T response;
    try {
      response = answer.get();
    } catch (RefusedException e) {
      observer.onError(ErrorModel.exception(e.refusal()));
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      observer.onError(ErrorModel.internal());
      return;
    } catch (RuntimeException e) {
      log.error("a call failed", e);
      observer.onError(ErrorModel.internal());
      return;
    }
    observer.onNext(response);
    observer.onCompleted();
  }

  @Override
  public void listObjects(
      ListObjectsRequest request, StreamObserver<ListObjectsResponse> observer) {
    answer(observer, () -> lister.page(request));
  }

  @Override
  public void listResourceTypes(
      ListResourceTypesRequest request, StreamObserver<ListResourceTypesResponse> observer) {
    answer(observer, () -> types.list(request));
  }

  @Override
  public void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> observer) {
    Membership membership = new Membership();
    StreamOutlet outlet =
        new StreamOutlet(
            (ServerCallStreamObserver<ListAndWatchResponse>) observer, membership::leave);
    try {
      Subscription subscription = subscribe(request, outlet);
      outlet.open(subscription);
      membership.join(subscription);
    } catch (RefusedException e) {
      outlet.end(e.refusal());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      observer.onError(ErrorModel.internal());
    } catch (RuntimeException e) {
      log.error("a stream could not be opened", e);
      observer.onError(ErrorModel.internal());
    }
  }

  private Subscription subscribe(ListAndWatchRequest request, StreamOutlet outlet)
      throws RefusedException, InterruptedException {
    RequestLimits.checkSize(request);
    UnknownFields.refuse(request);
    RequestLimits.checkClientName(request.getClientName());
    StreamSettings settings =
        Deliveries.apply(
            request.getDelivery(),
            RequestLimits.minimumVersion(request.getMinimumResourceVersion()));
    Resolved resolved = resolver.resolve(request.getSelection(), request.getProjection());
    StartPoint start = start(request, resolved);
    StreamOpened opened =
        StreamOpened.newBuilder()
            .setStreamId(context.serverId() + "-" + streams.incrementAndGet())
            .setServerId(context.serverId())
            .setHistoryId(resolved.tokens().epoch().historyId())
            .setSelection(resolved.applied(request.getSelection()))
            .setProjection(Projections.toProto(resolved.projection()))
            .setDelivery(Deliveries.toProto(settings))
            .build();
    outlet.name(opened.getStreamId(), request.getClientName());
    Owner owner = context.owners().next();
    OpenType type = admission.open(resolved.definition());
    return new Subscription(
        new Subscription.Environment(
            owner, context.routers(), context.waits(), context.time(), context.metrics()),
        type,
        new Subscription.Request(
            resolved.selection(),
            resolved.projection(),
            settings,
            start,
            resolved.tokens(),
            opened),
        outlet);
  }

  private static StartPoint start(ListAndWatchRequest request, Resolved resolved)
      throws RefusedException {
    Projections.checkStart(resolved.projection(), request);
    return switch (request.getStartCase()) {
      case START_NOT_SET -> new StartPoint.Snapshot();
      case RESUME_TOKEN ->
          request.getResumeToken().isEmpty()
              ? new StartPoint.Snapshot()
              : new StartPoint.Token(resolved.tokens().check(request.getResumeToken()));
      case RESOURCE_VERSION ->
          new StartPoint.Version(
              RequestLimits.version("resource_version", request.getResourceVersion()));
      case FROM_NOW -> new StartPoint.Now();
    };
  }

  /** Tells all streams where to go on, and ends them. */
  void drain(Duration reconnectWithin) {
    drained = Optional.of(reconnectWithin); // before looking: who joins later sees it
    open.forEach(subscription -> subscription.drain(reconnectWithin));
  }

  int openStreams() {
    return open.size();
  }

  /**
   * The place of one stream among the open ones, whichever of its begin and its end is noticed
   * first.
   */
  private final class Membership {
    private boolean over;
    private @Nullable Subscription member;

    synchronized void join(Subscription subscription) {
      if (!over) {
        member = subscription;
        open.add(subscription);
        drained.ifPresent(subscription::drain);
      }
    }

    synchronized void leave() {
      over = true;
      if (member != null) {
        open.remove(member);
      }
    }
  }
}
