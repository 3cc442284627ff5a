package io.watchgate.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.Caller;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.ApiException;
import io.watchgate.fanout.ByteSlices;
import io.watchgate.fanout.ClientEnd;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The three methods of the contract, and which streams there are. */
final class WatchService {
  private static final Logger log = LoggerFactory.getLogger(WatchService.class);

  /** A feature of clients (watch.proto). */
  private static final String KNOWS_REPLICAS = "replicas";

  private final EventLoops loops;
  private final Executor threads;
  private final StreamLimiter places;
  private final FanoutMetrics metrics;
  private final TimeSource time;
  private final AccessController gatekeeper;
  private final AuditLog audit;
  private final StreamOpener opener;
  private final ListObjectsHandler lister;
  private final ListTypesHandler types;
  private final PendingResponseBytes unread;
  private final Set<WatchServerCall> open = ConcurrentHashMap.newKeySet();
  private volatile int limit = Integer.MAX_VALUE;
  private final AtomicInteger refusals = new AtomicInteger();
  private volatile Optional<GoingAwayNotice> draining = Optional.empty();
  private volatile boolean closed;

  /**
   * @param loops on which calls begin
   * @param threads one a call, which may block
   */
  WatchService(GatewayContext context, Admission admission, EventLoops loops, Executor threads) {
    this.loops = loops;
    this.threads = threads;
    this.places = context.places();
    this.metrics = context.metrics();
    this.time = context.time();
    this.gatekeeper = context.gatekeeper();
    this.audit = context.audit();
    RequestResolver resolver = new RequestResolver(context.types(), context.clusterId());
    this.opener = new StreamOpener(context, resolver, admission);
    this.lister = new ListObjectsHandler(context, resolver, admission);
    this.types = new ListTypesHandler(context);
    this.unread = PendingResponseBytes.ofHeap(context.registry().heap().heap());
  }

  ServerServiceDefinition definition() {
    UnaryCallHandler unary = new UnaryCallHandler(threads, unread);
    EarlyRejectInterceptor refusable = new EarlyRejectInterceptor(loops::incoming, this::refused);
    ConcurrencyLimitInterceptor placed = new ConcurrencyLimitInterceptor(places, this::refused);
    return ServerServiceDefinition.builder(WatchMethods.SERVICE)
        .addMethod(WatchMethods.LIST_AND_WATCH, this::listAndWatch)
        .addMethod(WatchMethods.LIST_OBJECTS, placed.of(refusable.of(unary.handler(lister::page))))
        .addMethod(
            WatchMethods.LIST_RESOURCE_TYPES,
            placed.of(
                refusable.of(
                    unary.handler((request, origin, share) -> types.list(request, origin)))))
        .build();
  }

  private ServerCall.Listener<ParsedRequest<ListAndWatchRequest>> listAndWatch(
      ServerCall<ParsedRequest<ListAndWatchRequest>, ByteSlices> call, Metadata headers) {
    StreamLimiter.Client client;
    CallMetadata metadata;
    try {
      metadata = CallMetadata.of(headers).check();
      client = places.take(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    } catch (ApiException e) {
      refused(e.refusal().reason());
      StatusRuntimeException exception = GrpcErrors.exception(e.refusal());
      call.close(exception.getStatus(), GrpcErrors.trailers(exception));
      return new ServerCall.Listener<>() {};
    }
    StreamSession visit = new StreamSession(CallOrigin.of(call, headers), audit, time);
    RequestInboundBytes incoming = loops.incoming(); // nothing may fail before it has its listener
    incoming.grow(metadata.authorization());
    WatchServerCall stream =
        new WatchServerCall(call, this, loops.current(), client, incoming, visit);
    incoming.whenRefused(stream::refuse);
    open.add(stream);
    call.setOnReadyThreshold(ServerTransport.READY_BYTES);
    call.request(2); // a second one is an error, and is seen only if it is asked for
    return stream;
  }

  /** Checks and opens, away from the loop: the apiserver may have to be asked for the type. */
  void begin(WatchServerCall stream, ListAndWatchRequest request) {
    try {
      threads.execute(() -> open(stream, request));
    } catch (RejectedExecutionException e) {
      stream.refuse(GoingAwayNotice.draining().refusal()); // the gateway has ended
    }
  }

  private void open(WatchServerCall stream, ListAndWatchRequest request) {
    if (stream.isOver()) {
      return; // nobody waits for it any more
    }
    try {
      refuseWhoCanGoElsewhere(request);
      CallOrigin origin = stream.visit().asks(request);
      Caller caller = gatekeeper.identify(origin.credentials(), origin.address());
      stream.visit().isOf(caller);
      stream.open(opener.subscribe(request, caller, stream));
    } catch (ApiException e) {
      stream.refuse(e.refusal());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the gateway has ended, and all connections
    } catch (RuntimeException e) {
      if (closed) {
        // It ends while a stream opens: what that needs may be closed already.
        log.debug("a stream was not opened, for the gateway ends", e);
        stream.refuse(GoingAwayNotice.draining().refusal());
        return;
      }
      log.error("a stream could not be opened", e);
      refused(ErrorReason.ERROR_REASON_UNSPECIFIED);
      stream.fail();
    }
  }

  /** The gateway ends; streams that are being opened may fail from now on. */
  void close() {
    closed = true;
  }

  private void refuseWhoCanGoElsewhere(ListAndWatchRequest request) throws ApiException {
    if (open.size() > limit
        && request.getFeaturesList().contains(KNOWS_REPLICAS)
        && refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new ApiException(GoingAwayNotice.rebalancing().refusal());
    }
  }

  /** Beyond a number of streams, so many of clients that say that they can go elsewhere. */
  void refuse(int most, int beyond) {
    refusals.set(most);
    limit = beyond;
  }

  /**
   * The transport is done with it.
   *
   * @param how null: the client's side did not end it
   */
  void leave(WatchServerCall stream, @Nullable ClientEnd how) {
    open.remove(stream);
    stream.visit().leave(how);
    places.giveBack(stream.client());
  }

  void refused(ErrorReason reason) {
    metrics.streamRefused(reason);
  }

  /**
   * Tells all streams to go on elsewhere, one after the other; each ends once it stands at a
   * position.
   *
   * @param within the last of them is told then
   */
  void drain(Duration within) {
    GoingAwayNotice departure = GoingAwayNotice.draining();
    draining = Optional.of(departure); // before looking: who opens later sees it
    List<WatchServerCall> leaving = new ArrayList<>(open);
    Collections.shuffle(leaving, ThreadLocalRandom.current()); // else all of a connection at once
    for (int i = 0; i < leaving.size(); i++) {
      leaving.get(i).depart(departure, within.multipliedBy(i).dividedBy(leaving.size()));
    }
  }

  /** Those that are still there end now. */
  void drainNow() {
    draining.ifPresent(departure -> open.forEach(stream -> stream.departNow(departure)));
  }

  /**
   * Sends so many on to other replicas, those that came first before the others; who is behind, or
   * in the middle of a snapshot, stays. One after the other, on this thread, which waits in
   * between.
   *
   * @param age that they have at least
   * @param within what is not done by then is left
   * @return how many went
   */
  int shed(int count, Duration age, Duration each, Duration within) throws InterruptedException {
    long now = time.nanoTime();
    long until = now + within.toNanos();
    GoingAwayNotice departure = GoingAwayNotice.rebalancing();
    List<WatchServerCall> oldest = new ArrayList<>(open);
    oldest.removeIf(stream -> now - stream.visit().since() < age.toNanos());
    oldest.sort(
        Comparator.comparingLong(stream -> stream.visit().since() - now)); // both may be negative
    int gone = 0;
    for (WatchServerCall stream : oldest) {
      if (gone == count || draining.isPresent() || time.nanoTime() - until > 0) {
        break;
      }
      if (stream.shed(departure)) {
        gone++;
        Thread.sleep(each);
      }
    }
    return gone;
  }

  PendingResponseBytes unread() {
    return unread;
  }

  int streams() {
    return open.size();
  }

  /** Why streams that open now are to leave; empty: they are not. */
  Optional<GoingAwayNotice> draining() {
    return draining;
  }
}
