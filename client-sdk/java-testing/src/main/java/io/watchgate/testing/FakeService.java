package io.watchgate.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.Bookmark;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Service implementation behind {@link FakeGateway}. */
final class FakeService extends WatchServiceGrpc.WatchServiceImplBase {
  private static final int FIRST_VERSION = 100;

  private final Map<ObjectKey, WatchEvent> objects = new LinkedHashMap<>();
  private final List<WatchEvent> events = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();
  private final List<ListAndWatchRequest> requests = new ArrayList<>();
  private long version = FIRST_VERSION;
  private long uids;

  /** Oldest version that can be resumed; older ones lead to a snapshot. */
  private long oldest = FIRST_VERSION;

  /** First version of the present timeline, 0 before a timeline was lost. */
  private long historyBegin;

  private int history = 1;
  private @Nullable Refusal refusal;

  private record Refusal(Status status, String reason, String action) {}

  private record Stream(
      ListAndWatchRequest request, ServerCallStreamObserver<ListAndWatchResponse> responses) {
    boolean selects(WatchEvent event) {
      Selection selection = request.getSelection();
      return selection.getNamespacesCount() == 0
          || selection.getNamespacesList().contains(event.getKey().getNamespace());
    }

    boolean refusesSnapshots() {
      return request.getDelivery().getExpiredPositionPolicy()
          == ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL;
    }
  }

  // ---- changes

  synchronized String put(String namespace, String name, String json) {
    ObjectKey called = called(namespace, name);
    @Nullable WatchEvent before = objects.get(called);
    String uid = before == null ? "uid-" + ++uids : before.getKey().getUid();
    WatchEvent.Builder event =
        WatchEvent.newBuilder()
            .setType(before == null ? EventType.EVENT_TYPE_ADDED : EventType.EVENT_TYPE_MODIFIED)
            .setKey(called.toBuilder().setUid(uid))
            .setObject(ByteString.copyFromUtf8(json));
    WatchEvent now = append(event);
    objects.put(called, now);
    return now.getResourceVersion();
  }

  synchronized void delete(String namespace, String name) {
    @Nullable WatchEvent before = objects.remove(called(namespace, name));
    if (before == null) {
      throw new IllegalStateException("there is no " + namespace + "/" + name);
    }
    append(
        before.toBuilder()
            .setType(EventType.EVENT_TYPE_DELETED)
            .setRemovalReason(RemovalReason.REMOVAL_REASON_OBJECT_DELETED));
  }

  private static ObjectKey called(String namespace, String name) {
    return ObjectKey.newBuilder().setNamespace(namespace).setName(name).build();
  }

  private WatchEvent append(WatchEvent.Builder event) {
    version++;
    WatchEvent happened = event.setResourceVersion(version()).build();
    events.add(happened);
    for (Stream stream : open()) {
      if (stream.selects(happened)) {
        stream.responses.onNext(at(version).addEvents(happened).build());
      }
    }
    return happened;
  }

  synchronized String version() {
    return Long.toString(version);
  }

  // ---- streams

  @Override
  public synchronized void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> observer) {
    requests.add(request);
    Selection selection = request.getSelection();
    if (refusal != null) {
      fail(observer, refusal);
      return;
    }
    if (!selection.getLabelSelector().isEmpty() || !selection.getFieldSelector().isEmpty()) {
      fail(
          observer,
          new Refusal(
              Status.INVALID_ARGUMENT.withDescription("this fake reads no selectors"),
              "SELECTOR_INVALID",
              "STOP"));
      return;
    }
    Stream stream = new Stream(request, (ServerCallStreamObserver<ListAndWatchResponse>) observer);
    stream.responses.setOnCancelHandler(() -> {}); // otherwise sending would throw
    stream.responses.onNext(
        ListAndWatchResponse.newBuilder()
            .setOpened(StreamOpened.newBuilder().setHistoryId(historyId()).setSelection(selection))
            .build());
    streams.add(stream);
    long from = start(request);
    if (from < 0) {
      snapshot(stream, SnapshotReason.SNAPSHOT_REASON_REQUESTED);
    } else if (from >= oldest) {
      resume(stream, from);
    } else {
      snapshotOrEnd(
          stream,
          from < historyBegin
              ? SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
              : SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
    }
  }

  /** Returns the version at which the changes begin, -1 for a snapshot. */
  private long start(ListAndWatchRequest request) {
    return switch (request.getStartCase()) {
      case RESUME_TOKEN -> position(request.getResumeToken());
      case RESOURCE_VERSION -> Long.parseLong(request.getResourceVersion());
      case FROM_NOW -> version;
      case START_NOT_SET -> -1;
    };
  }

  private void snapshotOrEnd(Stream stream, SnapshotReason reason) {
    if (!stream.refusesSnapshots()) {
      snapshot(stream, reason);
      return;
    }
    streams.remove(stream);
    fail(
        stream.responses,
        new Refusal(
            Status.OUT_OF_RANGE.withDescription("the test invalidated this position"),
            reason.name().replace("SNAPSHOT_REASON_", ""),
            "RESTART"));
  }

  private void resume(Stream stream, long from) {
    stream.responses.onNext(at(from).setResumed(Resumed.getDefaultInstance()).build());
    for (WatchEvent event : events) {
      long then = Long.parseLong(event.getResourceVersion());
      if (then > from && stream.selects(event)) {
        stream.responses.onNext(at(then).addEvents(event).build());
      }
    }
  }

  private void snapshot(Stream stream, SnapshotReason reason) {
    stream.responses.onNext(
        ListAndWatchResponse.newBuilder()
            .setSnapshotStarted(
                SnapshotStarted.newBuilder().setReason(reason).setHistoryId(historyId()))
            .build());
    List<WatchEvent> selected =
        objects.values().stream()
            .filter(stream::selects)
            .map(event -> event.toBuilder().setType(EventType.EVENT_TYPE_ADDED).build())
            .toList();
    stream.responses.onNext(ListAndWatchResponse.newBuilder().addAllEvents(selected).build());
    stream.responses.onNext(
        at(version).setSynced(Synced.newBuilder().setObjects(selected.size())).build());
  }

  private String historyId() {
    return "fake-" + history;
  }

  private static ListAndWatchResponse.Builder at(long version) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(Long.toString(version))
        .setResumeToken(ByteString.copyFromUtf8("fake-" + version));
  }

  private static long position(ByteString token) {
    return token.isEmpty() ? -1 : Long.parseLong(token.toStringUtf8().substring("fake-".length()));
  }

  /** Returns the streams whose clients are connected. */
  private List<Stream> open() {
    streams.removeIf(stream -> stream.responses.isCancelled());
    return streams;
  }

  synchronized int streams() {
    return open().size();
  }

  synchronized List<ListAndWatchRequest> requests() {
    return List.copyOf(requests);
  }

  // ---- faults

  synchronized void end(Status status, String reason, String action) {
    open().forEach(stream -> fail(stream.responses, new Refusal(status, reason, action)));
    streams.clear();
  }

  private static void fail(StreamObserver<?> responses, Refusal refusal) {
    Metadata trailers = new Metadata();
    if (!refusal.reason.isEmpty()) {
      trailers.put(
          Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), refusal.reason);
      trailers.put(
          Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), refusal.action);
    }
    responses.onError(refusal.status.asRuntimeException(trailers));
  }

  synchronized void refuse(Status status, String reason, String action) {
    refusal = new Refusal(status, reason, action);
  }

  synchronized void admit() {
    refusal = null;
  }

  synchronized void expireTokens() {
    oldest = ++version;
  }

  synchronized void loseHistory() {
    expireTokens();
    historyBegin = oldest;
    history++;
    List.copyOf(open())
        .forEach(stream -> snapshotOrEnd(stream, SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST));
  }

  synchronized void bookmark() {
    Instant now = Instant.now();
    Timestamp time =
        Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
    send(
        at(version).setBookmark(Bookmark.newBuilder().setVerifiedAt(time).setSentAt(time)).build());
  }

  synchronized void send(ListAndWatchResponse response) {
    open().forEach(stream -> stream.responses.onNext(response));
  }
}
