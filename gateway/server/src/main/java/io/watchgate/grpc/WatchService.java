package io.watchgate.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.watchgate.admission.ClientAddress;
import io.watchgate.admission.DrainPace;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.PendingResponseBytes;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.auth.Caller;
import io.watchgate.cache.TimeSource;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.ReasonName;
import io.watchgate.error.StreamErrors;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.fanout.StreamIdentity;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implementation of the three methods of the contract, and registry of the open streams. */
final class WatchService {
  private static final Logger log = LoggerFactory.getLogger(WatchService.class);

  /** Feature of a client (watch.proto). */
  private static final String KNOWS_REPLICAS = "replicas";

  private static final Metadata.Key<String> USER_AGENT =
      Metadata.Key.of("user-agent", Metadata.ASCII_STRING_MARSHALLER);

  private final String serverId;
  private final ServedClusterId clusterId;
  private final EventLoops loops;
  private final Executor threads;
  private final GatewayContext.Access access;
  private final FanoutMetrics metrics;
  private final TimeSource time;
  private final SubscriptionFactory subscriptions;
  private final ListObjectsHandler listObjects;
  private final ListTypesHandler listTypes;
  private final PendingResponseBytes pendingResponses;
  private final Set<WatchServerCall> open = ConcurrentHashMap.newKeySet();
  private final StreamShedder shedder;

  /**
   * Number of open streams above which streams of clients that can use other replicas are refused.
   */
  private volatile int redirectThreshold = Integer.MAX_VALUE;

  private final AtomicInteger remainingRefusals = new AtomicInteger();
  private volatile Optional<GoingAwayNotice> draining = Optional.empty();
  private volatile boolean closed;

  /**
   * @param clusterId every call is refused until it is known
   * @param loops event loops on which calls begin
   * @param threads one per call, which may block
   */
  WatchService(
      GatewayContext context,
      ServedClusterId clusterId,
      StreamAdmission admission,
      EventLoops loops,
      Executor threads) {
    this.loops = loops;
    this.threads = threads;
    this.clusterId = clusterId;
    GatewayContext.Identity identity = context.identity();
    this.serverId = identity.serverId();
    this.access = context.access();
    this.metrics = context.delivery().metrics();
    this.time = context.delivery().time();
    RequestResolver resolver = new RequestResolver(context.types().served(), clusterId);
    this.subscriptions =
        new SubscriptionFactory(
            serverId, access.controller(), context.delivery(), resolver, admission);
    this.listObjects = new ListObjectsHandler(access, context.delivery(), resolver, admission);
    this.listTypes =
        new ListTypesHandler(identity, clusterId, context.types(), access.controller());
    this.shedder = new StreamShedder(open, time, () -> draining.isPresent(), DrainPace.INTERVAL);
    this.pendingResponses = PendingResponseBytes.ofHeap(context.types().registry().heap().heap());
  }

  /** Returns the methods for calls that arrive over gRPC. */
  ServerServiceDefinition definition() {
    return definition(loops::beginRequest);
  }

  /**
   * Returns the methods.
   *
   * @param requests starts counting the request of the call that begins on the calling thread
   */
  private ServerServiceDefinition definition(Supplier<InboundBytesLimit.Request> requests) {
    UnaryCallHandler unary = new UnaryCallHandler(threads, pendingResponses);
    CallLimitInterceptor limits =
        new CallLimitInterceptor(access.streams(), requests, this::recordRefusal);
    return ServerServiceDefinition.builder(WatchMethods.SERVICE)
        .addMethod(WatchMethods.LIST_AND_WATCH, watches(requests))
        .addMethod(
            WatchMethods.LIST_OBJECTS,
            limits.wrap(
                unary.handler(
                    (request, origin, share) -> {
                      var _ = clusterId.require();
                      return listObjects.page(request, origin, share);
                    })))
        .addMethod(
            WatchMethods.LIST_RESOURCE_TYPES,
            limits.wrap(
                unary.handler(
                    (request, origin, share) -> {
                      ListResourceTypesResponse response = listTypes.list(request, origin);
                      share.charge(response.getSerializedSize());
                      return response;
                    })))
        .build();
  }

  /** Returns the limits of all calls that are no streams. */
  CallLimitInterceptor callLimits() {
    return new CallLimitInterceptor(access.streams(), loops::beginRequest, this::recordRefusal);
  }

  private ServerCallHandler<RequestParseResult<ListAndWatchRequest>, ByteSlices> watches(
      Supplier<InboundBytesLimit.Request> requests) {
    return (call, headers) -> listAndWatch(call, headers, requests);
  }

  /**
   * Returns the starter of calls that arrive over HTTP with a complete request.
   *
   * @param limit maximum number of these calls at a time
   */
  CallStarter callStarter(int limit) {
    return new CallStarter(
        definition(loops::beginReadRequest),
        watches(loops::beginReadRequest),
        this::refuse,
        loops.transport().loops(),
        limit);
  }

  private ServerCall.Listener<RequestParseResult<ListAndWatchRequest>> listAndWatch(
      ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call,
      Metadata headers,
      Supplier<InboundBytesLimit.Request> requests) {
    GatewayStreamLimiter.Slot slot;
    CallMetadata metadata;
    try {
      metadata = CallMetadata.of(headers).check();
      slot = access.streams().acquire(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    } catch (ApiException e) {
      refuse(call, e.error());
      return new ServerCall.Listener<>() {};
    }
    ClientConnection connection = call.getAttributes().get(ClientConnection.KEY);
    if (connection != null) {
      connection.recordAgent(headers.get(USER_AGENT));
    }
    StreamSession session =
        new StreamSession(CallOrigin.of(call, headers), serverId, access.audit(), time);
    InboundBytesLimit.Request incoming =
        requests.get(); // nothing may fail before the listener is set
    incoming.grow(metadata.authorization());
    WatchServerCall stream =
        new WatchServerCall(call, this, loops.currentLoop(), slot, incoming, session);
    incoming.onRefused(stream::refuse);
    stream.openLane();
    open.add(stream);
    call.setOnReadyThreshold(ServerTransport.READY_BYTES);
    call.request(2); // a second request is an error, and is received only if requested
    return stream;
  }

  /** Refuses a call before its request is read. */
  private void refuse(ServerCall<?, ?> call, ApiError refusal) {
    recordRefusal(refusal.reason());
    endedStreams().addRefused(entry(call, refusal));
    GrpcErrors.close(call, refusal);
  }

  /** Returns the record of a call that is refused before its request is read. */
  private EndedStreams.Entry entry(ServerCall<?, ?> call, ApiError refusal) {
    Instant now = time.now();
    Object address = ClientAddress.of(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    HttpClientInfo client = call.getAttributes().get(HttpClientInfo.KEY);
    return new EndedStreams.Entry(
        now,
        new StreamIdentity(
            "",
            client == null ? WatchServerCall.GRPC : client.api(),
            "",
            client == null ? "" : client.agent(),
            "",
            ClientAddress.text(address),
            "",
            now),
        "",
        ReasonName.of(refusal.reason()),
        0);
  }

  /**
   * Checks the request and opens the stream, on another thread than the event loop: it may have to
   * ask the apiserver for the type.
   */
  void begin(WatchServerCall stream, ListAndWatchRequest request) {
    try {
      threads.execute(() -> open(stream, request));
    } catch (RejectedExecutionException e) {
      stream.refuse(StreamErrors.draining()); // the gateway has ended
    }
  }

  private void open(WatchServerCall stream, ListAndWatchRequest request) {
    if (stream.isReleased()) {
      return; // the client is gone
    }
    try {
      var _ = clusterId.require();
      refuseIfRebalancing(request);
      CallOrigin origin = stream.session().takeOrigin(request);
      Caller caller = access.controller().authenticate(origin.credentials(), origin.address());
      stream.session().setCaller(caller);
      stream.open(subscriptions.subscribe(request, caller, stream));
    } catch (ApiException e) {
      stream.refuse(e.error());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the gateway has ended, and all connections
    } catch (RuntimeException e) {
      if (closed) {
        // The gateway ends while a stream opens: resources that it needs may already be closed.
        log.debug("a stream was not opened, because the gateway is shutting down", e);
        stream.refuse(StreamErrors.draining());
        return;
      }
      log.error("a stream could not be opened", e);
      recordRefusal(ErrorReason.ERROR_REASON_UNSPECIFIED);
      stream.fail();
    }
  }

  /** Marks the service as closed: streams that are being opened may fail from now on. */
  void close() {
    closed = true;
  }

  private void refuseIfRebalancing(ListAndWatchRequest request) throws ApiException {
    if (open.size() > redirectThreshold
        && request.getFeaturesList().contains(KNOWS_REPLICAS)
        && remainingRefusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new ApiException(StreamErrors.rebalancing());
    }
  }

  /**
   * Refuses up to {@code maxRefusals} streams of clients that can use other replicas, while more
   * than {@code threshold} streams are open.
   */
  void refuseNewStreams(int maxRefusals, int threshold) {
    remainingRefusals.set(maxRefusals);
    redirectThreshold = threshold;
  }

  /**
   * Removes a stream after the transport has released it. Called on its event loop.
   *
   * @param end how the client ended the stream; null if the gateway ended it
   */
  void remove(WatchServerCall stream, @Nullable ClientEnd end) {
    open.remove(stream);
    stream.session().onRelease(end, stream.sentBytes());
    stream.slot().release();
  }

  void recordRefusal(ErrorReason reason) {
    metrics.streamRefused(reason);
  }

  /**
   * Sends GOING_AWAY to all streams, one after the other. Each stream ends once it has reached a
   * position.
   *
   * @param within time in which all streams get it
   */
  void drain(Duration within) {
    GoingAwayNotice notice = GoingAwayNotice.draining();
    draining = Optional.of(notice); // before the iteration: a stream that opens later checks it
    List<WatchServerCall> leaving = new ArrayList<>(open);
    Collections.shuffle(leaving, ThreadLocalRandom.current()); // spreads over connections
    for (int i = 0; i < leaving.size(); i++) {
      leaving.get(i).goAway(notice, within.multipliedBy(i).dividedBy(leaving.size()));
    }
  }

  /** Ends the streams that are still open now. */
  void drainNow() {
    draining.ifPresent(notice -> open.forEach(stream -> stream.goAwayNow(notice)));
  }

  StreamShedder shedder() {
    return shedder;
  }

  EndedStreams endedStreams() {
    return access.endedStreams();
  }

  TimeSource time() {
    return time;
  }

  PendingResponseBytes pendingResponses() {
    return pendingResponses;
  }

  int streams() {
    return open.size();
  }

  /** Returns the notice for new streams while draining; empty otherwise. */
  Optional<GoingAwayNotice> draining() {
    return draining;
  }
}
