package io.watchgate.client;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Gateway whose answers are all given by the test. */
final class ScriptedGateway extends WatchServiceGrpc.WatchServiceImplBase {
  private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();

  @Override
  public void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> responses) {
    ServerCallStreamObserver<ListAndWatchResponse> call =
        (ServerCallStreamObserver<ListAndWatchResponse>) responses;
    call.setOnCancelHandler(() -> {}); // a script continues although the client has disconnected
    streams.add(new Stream(request, call));
  }

  /** Answer to {@code ListResourceTypes}; null: the next failure is returned. */
  volatile @Nullable ListResourceTypesResponse types;

  final Queue<StatusRuntimeException> failures = new ConcurrentLinkedQueue<>();

  /** Answers to {@code ListObjects}, each a page or a failure, and the requests that they had. */
  final Queue<Object> pages = new ConcurrentLinkedQueue<>();

  final Queue<ListObjectsRequest> listed = new ConcurrentLinkedQueue<>();

  @Override
  public void listObjects(
      ListObjectsRequest request, StreamObserver<ListObjectsResponse> responses) {
    listed.add(request);
    Object answer = pages.remove();
    if (answer instanceof StatusRuntimeException failure) {
      responses.onError(failure);
    } else {
      responses.onNext((ListObjectsResponse) answer);
      responses.onCompleted();
    }
  }

  @Override
  public void listResourceTypes(
      ListResourceTypesRequest request, StreamObserver<ListResourceTypesResponse> responses) {
    StatusRuntimeException failure = failures.poll();
    ListResourceTypesResponse answer = types;
    if (failure != null || answer == null) {
      responses.onError(failure == null ? Status.UNIMPLEMENTED.asRuntimeException() : failure);
      return;
    }
    responses.onNext(answer);
    responses.onCompleted();
  }

  /** Waits for the next stream that the client opens. */
  Stream next() {
    try {
      Stream stream = streams.poll(3, TimeUnit.MINUTES);
      if (stream == null) {
        throw new AssertionError("no stream was opened for 3 min");
      }
      return stream;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean nothingWaits() {
    return streams.isEmpty();
  }

  record Stream(
      ListAndWatchRequest request, ServerCallStreamObserver<ListAndWatchResponse> responses) {

    Stream send(ListAndWatchResponse response) {
      responses.onNext(response);
      return this;
    }

    Stream send(ListAndWatchResponse.Builder response) {
      return send(response.build());
    }

    /** Sends a complete snapshot of the named objects. */
    Stream snapshot(int position, String... names) {
      send(opened(Duration.ofSeconds(30)));
      send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_REQUESTED));
      send(events(EventType.EVENT_TYPE_ADDED, names));
      return send(synced(position));
    }

    Stream resumed(int position) {
      send(opened(Duration.ofSeconds(30)));
      return send(at(position).setResumed(Resumed.getDefaultInstance()));
    }

    void fail(Status status, Metadata trailers) {
      responses.onError(status.asRuntimeException(trailers));
    }

    /** Fails the stream with an error that asks the client to wait. */
    void fail(Status.Code code, String reason, String action, Duration retryAfter) {
      Metadata trailers = new Metadata();
      trailers.put(Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), reason);
      trailers.put(Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), action);
      trailers.put(
          Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER),
          com.google.rpc.Status.newBuilder()
              .setCode(code.value())
              .addDetails(
                  Any.pack(
                      RetryInfo.newBuilder()
                          .setRetryDelay(
                              com.google.protobuf.Duration.newBuilder()
                                  .setSeconds(retryAfter.toSeconds()))
                          .build()))
              .build()
              .toByteArray());
      fail(code.toStatus(), trailers);
    }

    void fail(Status.Code code, String reason, String action) {
      Metadata trailers = new Metadata();
      trailers.put(Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), reason);
      trailers.put(Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), action);
      fail(code.toStatus().withDescription(reason + " it is"), trailers);
    }
  }

  static ByteString token(int position) {
    return ByteString.copyFromUtf8("token-" + position);
  }

  static ListAndWatchResponse.Builder at(int position) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(Integer.toString(position))
        .setResumeToken(token(position));
  }

  static ListAndWatchResponse.Builder opened(Duration bookmarkInterval) {
    return ListAndWatchResponse.newBuilder()
        .setOpened(
            StreamOpened.newBuilder()
                .setDelivery(
                    Delivery.newBuilder()
                        .setBookmarkInterval(
                            com.google.protobuf.Duration.newBuilder()
                                .setSeconds(bookmarkInterval.toSeconds()))));
  }

  static ListAndWatchResponse.Builder snapshotStarted(SnapshotReason reason) {
    return ListAndWatchResponse.newBuilder()
        .setSnapshotStarted(SnapshotStarted.newBuilder().setReason(reason));
  }

  static ListAndWatchResponse.Builder synced(int position) {
    return at(position).setSynced(Synced.newBuilder().setObjects(1));
  }

  static ListAndWatchResponse.Builder netEffectStarted() {
    return ListAndWatchResponse.newBuilder()
        .setNetEffectStarted(
            NetEffectStarted.newBuilder()
                .setReason(NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP)
                .setEventsReplaced(7));
  }

  static ListAndWatchResponse.Builder events(EventType type, String... names) {
    return add(ListAndWatchResponse.newBuilder(), type, names);
  }

  /** Returns one change with the position after it. */
  static ListAndWatchResponse.Builder change(int position, String name) {
    return add(at(position), EventType.EVENT_TYPE_MODIFIED, name);
  }

  static ListAndWatchResponse.Builder bookmark(int position) {
    return at(position).setBookmark(Bookmark.getDefaultInstance());
  }

  private static ListAndWatchResponse.Builder add(
      ListAndWatchResponse.Builder response, EventType type, String... names) {
    for (String name : names) {
      response.addEvents(
          WatchEvent.newBuilder().setType(type).setKey(ObjectKey.newBuilder().setName(name)));
    }
    return response;
  }
}
