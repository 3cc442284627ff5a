package io.watchgate.cli;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gateway with scripted responses, against which complete command lines run. */
final class PlayedGateway extends WatchServiceGrpc.WatchServiceImplBase implements AutoCloseable {
  final List<ListAndWatchRequest> watches = new CopyOnWriteArrayList<>();
  final List<ListObjectsRequest> lists = new CopyOnWriteArrayList<>();
  final Queue<StatusRuntimeException> refusals = new ConcurrentLinkedQueue<>();
  final Queue<ListObjectsResponse> pages = new ConcurrentLinkedQueue<>();
  final Map<String, String> environment = new HashMap<>();
  final Set<Stdio.Stream> terminals = EnumSet.noneOf(Stdio.Stream.class);
  volatile Consumer<StreamObserver<ListAndWatchResponse>> stream = observer -> {};
  volatile @Nullable StatusRuntimeException typesRefusal;
  volatile ListResourceTypesResponse types = ListResourceTypesResponse.getDefaultInstance();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Server server;
  private final int port;

  PlayedGateway() {
    try {
      server =
          Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
              .addService(this)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    port = server.getPort();
  }

  String address() {
    return "localhost:" + port;
  }

  /** Runs a command line against the gateway; the arguments may contain {@code --}. */
  int run(String... line) {
    List<String> args = new ArrayList<>(List.of(line));
    int end = args.indexOf("--");
    args.addAll(end < 0 ? args.size() : end, List.of("--server", address()));
    return Main.run(
        new Stdio(
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InstantSource.fixed(Instant.parse("2026-01-01T00:10:00Z")),
            terminals,
            Set.of(),
            environment),
        args.toArray(String[]::new));
  }

  String stdout() {
    String text = out.toString(StandardCharsets.UTF_8);
    out.reset();
    return text;
  }

  String stderr() {
    String text = err.toString(StandardCharsets.UTF_8);
    err.reset();
    return text;
  }

  @Override
  public void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> observer) {
    watches.add(request);
    StatusRuntimeException refusal = refusals.poll();
    if (refusal != null) {
      observer.onError(refusal);
      return;
    }
    observer.onNext(
        ListAndWatchResponse.newBuilder().setOpened(StreamOpened.getDefaultInstance()).build());
    stream.accept(observer);
  }

  @Override
  public void listObjects(
      ListObjectsRequest request, StreamObserver<ListObjectsResponse> observer) {
    lists.add(request);
    answer(observer, pages::remove);
  }

  @Override
  public void listResourceTypes(
      ListResourceTypesRequest request, StreamObserver<ListResourceTypesResponse> observer) {
    StatusRuntimeException refused = typesRefusal;
    if (refused != null) {
      observer.onError(refused);
    } else {
      answer(observer, () -> types);
    }
  }

  private <T> void answer(StreamObserver<T> observer, Supplier<T> answer) {
    StatusRuntimeException refusal = refusals.poll();
    if (refusal != null) {
      observer.onError(refusal);
      return;
    }
    observer.onNext(answer.get());
    observer.onCompleted();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  /** Returns an error of a gateway. */
  static StatusRuntimeException refusal(
      Code code, String reason, String action, String field, String message) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(code.getNumber())
            .setMessage(message)
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain("watchgate.io")
                        .setReason(reason)
                        .putMetadata("action", action)
                        .build()))
            .addDetails(
                Any.pack(
                    RetryInfo.newBuilder()
                        .setRetryDelay(Duration.newBuilder().setNanos(1_000_000))
                        .build()));
    if (!field.isEmpty()) {
      status.addDetails(
          Any.pack(
              BadRequest.newBuilder()
                  .addFieldViolations(
                      BadRequest.FieldViolation.newBuilder()
                          .setField(field)
                          .setDescription(message))
                  .build()));
    }
    return StatusProto.toStatusRuntimeException(status.build());
  }

  static WatchEvent event(EventType type, String name, int version) {
    String object =
        "{\"kind\":\"Setting\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"%s\"},\"v\":%d}"
            .formatted(name, version);
    return WatchEvent.newBuilder()
        .setType(type)
        .setKey(ObjectKey.newBuilder().setNamespace("ns").setName(name).setUid("u-" + name))
        .setResourceVersion(Integer.toString(version))
        .setObject(ByteString.copyFromUtf8(object))
        .build();
  }

  /** Returns the responses of a snapshot of these objects. */
  static List<ListAndWatchResponse> snapshot(int version, String... names) {
    ListAndWatchResponse.Builder objects = at(version).setSynced(Synced.getDefaultInstance());
    for (String name : names) {
      objects.addEvents(event(EventType.EVENT_TYPE_ADDED, name, version));
    }
    return List.of(
        ListAndWatchResponse.newBuilder()
            .setSnapshotStarted(
                SnapshotStarted.newBuilder().setReason(SnapshotReason.SNAPSHOT_REASON_REQUESTED))
            .build(),
        objects.build());
  }

  static ListAndWatchResponse resumed(int version) {
    return at(version).setResumed(Resumed.getDefaultInstance()).build();
  }

  static ListAndWatchResponse change(EventType type, String name, int version) {
    return at(version).addEvents(event(type, name, version)).build();
  }

  private static ListAndWatchResponse.Builder at(int version) {
    return ListAndWatchResponse.newBuilder()
        .setResourceVersion(Integer.toString(version))
        .setResumeToken(ByteString.copyFromUtf8("t" + version));
  }

  /** Returns an error that ends a stream for good. */
  static StatusRuntimeException streamEnd() {
    return refusal(Code.NOT_FOUND, "TYPE_GONE", "STOP", "", "the piece is over");
  }
}
