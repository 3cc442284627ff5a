package io.watchgate.e2e.heap;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.watchgate.e2e.faults.ReceivedError;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Client of one type that records the version of each object by the rules at the top of
 * watch.proto, and reopens its stream whenever the stream ends. Synchronized: gRPC's threads write,
 * the test's thread reads.
 */
final class JudgedStream
    implements ClientResponseObserver<ListAndWatchRequest, ListAndWatchResponse> {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int AGAIN_MILLIS = 1_000;

  /** Size of a few objects. */
  private static final int SMALL_RESPONSE = 64 << 10;

  private final Channel channel;
  private final ScheduledExecutorService timer;
  private final ListAndWatchRequest request;
  private final int everyMillis;
  private final Map<String, String> held = new HashMap<>();
  private final Map<String, String> collected = new HashMap<>();
  private final List<WatchEvent> group = new ArrayList<>();
  private final List<ReceivedError> ends = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private Mode mode = Mode.CHANGES;
  private ByteString token = ByteString.EMPTY;
  private BigInteger position = BigInteger.ZERO;
  private @Nullable ClientCallStreamObserver<ListAndWatchRequest> call;
  private int snapshots;
  private int netEffects;
  private boolean closed;

  private enum Mode {
    CHANGES,
    SNAPSHOT,
    NET_EFFECT
  }

  /**
   * @param everyMillis wait before each further response once the client has a snapshot; 0: no wait
   */
  private JudgedStream(
      Channel channel,
      ScheduledExecutorService timer,
      ListAndWatchRequest request,
      int everyMillis) {
    this.channel = channel;
    this.timer = timer;
    this.request = request;
    this.everyMillis = everyMillis;
  }

  /** Opens a stream with the default response size. */
  static JudgedStream open(
      Channel channel,
      ScheduledExecutorService timer,
      String resource,
      ObjectView view,
      LagPolicy policy,
      int everyMillis) {
    return open(
        channel,
        timer,
        resource,
        view,
        Delivery.newBuilder().setLagPolicy(policy).build(),
        everyMillis);
  }

  /** Opens a stream with a few objects per response, so that it lags on a busy type. */
  static JudgedStream openLaggard(
      Channel channel,
      ScheduledExecutorService timer,
      String resource,
      LagPolicy policy,
      int everyMillis) {
    return open(
        channel,
        timer,
        resource,
        ObjectView.OBJECT_VIEW_FULL,
        Delivery.newBuilder().setLagPolicy(policy).setMaxResponseBytes(SMALL_RESPONSE).build(),
        everyMillis);
  }

  private static JudgedStream open(
      Channel channel,
      ScheduledExecutorService timer,
      String resource,
      ObjectView view,
      Delivery delivery,
      int everyMillis) {
    JudgedStream stream =
        new JudgedStream(
            channel,
            timer,
            ListAndWatchRequest.newBuilder()
                .setSelection(
                    Selection.newBuilder()
                        .setResourceType(ResourceType.newBuilder().setResource(resource)))
                .setProjection(Projection.newBuilder().setView(view))
                .setDelivery(delivery)
                .build(),
            everyMillis);
    stream.begin();
    return stream;
  }

  private synchronized void begin() {
    if (closed) {
      return;
    }
    mode = Mode.CHANGES;
    group.clear();
    collected.clear();
    ListAndWatchRequest next =
        token.isEmpty() ? request : request.toBuilder().setResumeToken(token).build();
    WatchServiceGrpc.newStub(channel).listAndWatch(next, this);
  }

  @Override
  public synchronized void beforeStart(ClientCallStreamObserver<ListAndWatchRequest> stream) {
    call = stream;
    if (everyMillis > 0) {
      stream.disableAutoRequestWithInitial(1);
    }
  }

  @Override
  public synchronized void onNext(ListAndWatchResponse response) {
    response.getEventsList().forEach(this::take);
    if (!response.getResumeToken().isEmpty()) {
      token = response.getResumeToken();
      BigInteger version = new BigInteger(response.getResourceVersion());
      if (version.compareTo(position) < 0) {
        violations.add("position " + version + " after " + position);
      }
      position = version;
      if (mode == Mode.NET_EFFECT) {
        mode = Mode.CHANGES;
        group.forEach(this::take);
        group.clear();
      }
    }
    switch (response.getSignalCase()) {
      case SNAPSHOT_STARTED -> mode = Mode.SNAPSHOT;
      case NET_EFFECT_STARTED -> {
        mode = Mode.NET_EFFECT;
        netEffects++;
      }
      case SYNCED -> {
        if (response.getSynced().getObjects() != collected.size()) {
          violations.add("synced at " + collected.size() + ", not " + response.getSynced());
        }
        held.clear();
        held.putAll(collected);
        collected.clear();
        mode = Mode.CHANGES;
        snapshots++;
      }
      case OPENED, RESUMED, BOOKMARK, GOING_AWAY, SIGNAL_NOT_SET -> {}
    }
    ClientCallStreamObserver<ListAndWatchRequest> reading = call;
    if (everyMillis > 0 && reading != null && !closed) {
      int wait = held.isEmpty() ? 0 : everyMillis;
      var _ = timer.schedule(() -> reading.request(1), wait, TimeUnit.MILLISECONDS);
    }
  }

  private void take(WatchEvent event) {
    String name = event.getKey().getName();
    switch (mode) {
      case SNAPSHOT -> collected.put(name, event.getResourceVersion());
      case NET_EFFECT -> group.add(event);
      case CHANGES -> {
        boolean added = event.getType() == EventType.EVENT_TYPE_ADDED;
        if (held.containsKey(name) == added) {
          violations.add(event.getType() + " of " + name + ", held: " + held.get(name));
        }
        if (event.getType() == EventType.EVENT_TYPE_DELETED) {
          held.remove(name);
        } else {
          held.put(name, event.getResourceVersion());
        }
      }
    }
  }

  @Override
  public synchronized void onError(Throwable error) {
    if (closed) {
      return;
    }
    ends.add(ReceivedError.of(error));
    var _ = timer.schedule(this::begin, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void onCompleted() {
    onError(Status.UNKNOWN.withDescription("it ended with OK").asRuntimeException());
  }

  String resource() {
    return request.getSelection().getResourceType().getResource();
  }

  /** Returns name and version of each recorded object. */
  synchronized Map<String, String> held() {
    return Map.copyOf(held);
  }

  synchronized int size() {
    return held.size();
  }

  /** Returns the errors with which its streams ended. */
  synchronized List<ReceivedError> ends() {
    return List.copyOf(ends);
  }

  /** Returns the last of these errors, empty if no stream ended. */
  synchronized String lastEnd() {
    return ends.isEmpty() ? "" : ends.getLast().toString();
  }

  /** Waits until one of the streams with {@code policy} has lagged. */
  static void awaitLag(List<JudgedStream> streams, LagPolicy policy) {
    await("a stream with " + policy + " to lag")
        .atMost(LIMIT)
        .until(
            () ->
                streams.stream()
                    .filter(stream -> stream.request.getDelivery().getLagPolicy() == policy)
                    .anyMatch(JudgedStream::hasLagged));
  }

  /** Returns whether a snapshot or an error has arrived, so that the stream can be judged. */
  synchronized boolean wasAnswered() {
    return snapshots > 0 || !ends.isEmpty();
  }

  /**
   * Returns whether changes were left out: it received a net effect or a second snapshot, or its
   * stream was ended.
   */
  private synchronized boolean hasLagged() {
    return netEffects > 0 || snapshots > 1 || !ends.isEmpty();
  }

  /** Returns the violations of the rules. */
  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized void close() {
    closed = true;
    if (call != null) {
      call.cancel("the test is over", null);
    }
  }
}
