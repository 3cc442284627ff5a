package io.watchgate.e2e.differential;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceStub;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stream through the gateway that can be stopped at any moment and resumed with its token. It
 * records everything that is complete at a token and drops the rest, as {@code watch.proto}
 * requires.
 */
final class Subscriber {
  private static final Metadata.Key<String> ACTION =
      Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER);

  private final WatchServiceStub stub;
  private final Query query;
  private final List<ReceivedPart> received = new ArrayList<>();
  private ByteString token = ByteString.EMPTY;
  private long position;
  private @Nullable Stream current;
  private @Nullable String failure;

  Subscriber(WatchServiceStub stub, Query query) {
    this.stub = stub;
    this.query = query;
  }

  /** Way in which a stream began. */
  enum Opening {
    RESUMED,
    SNAPSHOT
  }

  /**
   * Opens a stream, with the token if there is one. Completes once it is known how the stream
   * continues.
   */
  synchronized CompletableFuture<Opening> open() {
    Stream stream = new Stream();
    current = stream;
    ListAndWatchRequest.Builder request =
        ListAndWatchRequest.newBuilder()
            .setSelection(query.selection())
            .setDelivery(Delivery.newBuilder().setBookmarkInterval(Durations.fromSeconds(1)))
            .setClientName("differential test");
    if (!token.isEmpty()) {
      request.setResumeToken(token);
    }
    stub.listAndWatch(request.build(), stream);
    return stream.opening;
  }

  /** Cancels the stream at its current point. Returns the position to resume from. */
  synchronized long stop() {
    Stream stream = current;
    current = null;
    if (stream != null) {
      stream.cancel();
    }
    return position;
  }

  /** Returns the position of the last token. */
  synchronized long position() {
    return position;
  }

  /** Returns the complete parts received since the last call. */
  synchronized List<ReceivedPart> drain() {
    List<ReceivedPart> all = List.copyOf(received);
    received.clear();
    return all;
  }

  /** Returns the gateway's violation of the contract, if there was one. */
  synchronized @Nullable String failure() {
    return failure;
  }

  static String keyOf(WatchEvent event) {
    ObjectKey key = event.getKey();
    return key.getNamespace() + "/" + key.getName();
  }

  private synchronized void take(Stream stream, ListAndWatchResponse response) {
    if (stream != current) {
      return;
    }
    stream.pending.addAll(response.getEventsList());
    switch (response.getSignalCase()) {
      case SNAPSHOT_STARTED -> stream.snapshot = response;
      case NET_EFFECT_STARTED -> stream.netEffectStarted(response.getNetEffectStarted());
      case SYNCED -> {
        if (response.getSynced().getObjects() != stream.pending.size()) {
          failure =
              "Synced says "
                  + response.getSynced().getObjects()
                  + " objects after "
                  + stream.pending.size();
        }
      }
      case RESUMED -> {
        stream.isUninterrupted = true;
        stream.opening.complete(Opening.RESUMED);
      }
      case GOING_AWAY -> failure = "unexpected " + response.getGoingAway();
      case OPENED, BOOKMARK, SIGNAL_NOT_SET -> {}
    }
    if (!response.getResumeToken().isEmpty()) {
      long reached = Long.parseLong(response.getResourceVersion());
      if (reached < position) {
        failure = "position " + reached + " after " + position;
      }
      token = response.getResumeToken();
      position = reached;
      received.add(stream.complete(reached));
      if (response.hasSynced()) {
        stream.opening.complete(Opening.SNAPSHOT);
      }
    }
  }

  private synchronized void ended(Stream stream, Throwable error) {
    if (stream != current) {
      return;
    }
    Status status = Status.fromThrowable(error);
    Metadata trailers = Status.trailersFromThrowable(error);
    String action = trailers == null ? null : trailers.get(ACTION);
    failure = "the stream ended: " + status + ", action " + action;
    stream.opening.completeExceptionally(error);
  }

  /** One call with its incomplete part. */
  private final class Stream
      implements ClientResponseObserver<ListAndWatchRequest, ListAndWatchResponse> {
    final CompletableFuture<Opening> opening =
        new CompletableFuture<Opening>().orTimeout(3, TimeUnit.MINUTES);
    final List<WatchEvent> pending = new ArrayList<>();
    @Nullable ListAndWatchResponse snapshot;
    @Nullable NetEffectStarted netEffect;
    CompletableFuture<Long> oldest = new CompletableFuture<>();

    /** True for a resumed stream that had no net effect yet. */
    boolean isUninterrupted;

    private @Nullable ClientCallStreamObserver<ListAndWatchRequest> call;

    void cancel() {
      if (call != null) {
        call.cancel("stopped by the test", null);
      }
    }

    void netEffectStarted(NetEffectStarted start) {
      netEffect = start;
      CompletableFuture<Long> asked = new CompletableFuture<>();
      oldest = asked;
      stub.listResourceTypes(
          ListResourceTypesRequest.getDefaultInstance(),
          new StreamObserver<>() {
            @Override
            public void onNext(ListResourceTypesResponse answer) {
              asked.complete(query.oldestVersion(answer));
            }

            @Override
            public void onError(Throwable error) {
              asked.completeExceptionally(error);
            }

            @Override
            public void onCompleted() {}
          });
    }

    ReceivedPart complete(long reached) {
      List<WatchEvent> events = List.copyOf(pending);
      pending.clear();
      if (snapshot != null) {
        Map<String, WatchEvent> objects = new LinkedHashMap<>();
        events.forEach(event -> objects.put(keyOf(event), event));
        var reason = snapshot.getSnapshotStarted().getReason();
        snapshot = null;
        return new ReceivedPart.Snapshot(reached, reason, objects);
      }
      if (netEffect != null) {
        NetEffectStarted start = netEffect;
        boolean isFirst = isUninterrupted;
        netEffect = null;
        isUninterrupted = false;
        return new ReceivedPart.NetEffect(reached, start, oldest, isFirst, events);
      }
      return new ReceivedPart.Changes(reached, events);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ListAndWatchRequest> observer) {
      call = observer;
    }

    @Override
    public void onNext(ListAndWatchResponse response) {
      take(this, response);
    }

    @Override
    public void onError(Throwable error) {
      ended(this, error);
    }

    @Override
    public void onCompleted() {
      ended(this, Status.OK.asRuntimeException());
    }
  }
}
