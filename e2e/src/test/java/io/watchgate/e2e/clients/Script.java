package io.watchgate.e2e.clients;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Responses and end of one stream of a {@link ScriptedGateway}; without an end the stream stays
 * open.
 */
final class Script {
  private final List<ListAndWatchResponse> responses = new ArrayList<>();
  private @Nullable StatusRuntimeException end;
  private boolean isCompleted;

  private Script() {}

  /** Returns a stream that begins with StreamOpened. */
  static Script opened(Duration bookmarkInterval) {
    Delivery delivery = Delivery.newBuilder().setBookmarkInterval(proto(bookmarkInterval)).build();
    return new Script().send(response().setOpened(StreamOpened.newBuilder().setDelivery(delivery)));
  }

  static Script opened() {
    return opened(Duration.ofSeconds(30));
  }

  /** Returns a stream that a proxy refuses with only a code. */
  static Script bare(Status.Code code) {
    return new Script().broken(code);
  }

  /** Returns a stream that a gateway refuses behind a proxy that drops the details. */
  static Script bareReason(Status.Code code, String reason, String action) {
    Metadata trailers = new Metadata();
    trailers.put(ascii("watchgate-reason"), reason);
    trailers.put(ascii("watchgate-action"), action);
    Script script = new Script();
    script.end = code.toStatus().withDescription("refused").asRuntimeException(trailers);
    return script;
  }

  /** Returns a stream that ends immediately with OK, which no gateway sends. */
  static Script endedWithOk() {
    Script script = new Script();
    script.isCompleted = true;
    return script;
  }

  Script resumed(String token) {
    return send(reached(token).setResumed(Resumed.getDefaultInstance()));
  }

  /** Adds an incomplete snapshot in two responses. */
  Script halfSnapshot(WatchEvent... events) {
    return send(response().setSnapshotStarted(SnapshotStarted.getDefaultInstance()))
        .send(response().addAllEvents(List.of(events)));
  }

  Script snapshot(String token, WatchEvent... events) {
    return halfSnapshot(events)
        .send(reached(token).setSynced(Synced.newBuilder().setObjects(events.length)));
  }

  Script change(String token, WatchEvent... events) {
    return send(reached(token).addAllEvents(List.of(events)));
  }

  /** Adds an announced net effect whose token is missing. */
  Script halfNetEffect(WatchEvent... events) {
    return send(response().setNetEffectStarted(NetEffectStarted.getDefaultInstance()))
        .send(response().addAllEvents(List.of(events)));
  }

  Script goingAway(String token, Duration reconnectWithin) {
    return send(
        reached(token)
            .setGoingAway(GoingAway.newBuilder().setReconnectWithin(proto(reconnectWithin))));
  }

  /** Ends the stream as a gateway does; {@code retryAfter} may be zero. */
  Script refused(Status.Code code, String reason, String action, Duration retryAfter) {
    Metadata trailers = new Metadata();
    trailers.put(ascii("watchgate-reason"), reason);
    trailers.put(ascii("watchgate-action"), action);
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setReason(reason)
            .setDomain("watchgate.io")
            .putMetadata("action", action)
            .build();
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage("refused: " + reason)
            .addDetails(Any.pack(info));
    if (code == Status.Code.RESOURCE_EXHAUSTED) {
      status.addDetails(Any.pack(quota()));
    }
    if (!retryAfter.isZero()) {
      status.addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(proto(retryAfter)).build()));
    }
    end = StatusProto.toStatusRuntimeException(status.build(), trailers);
    return this;
  }

  private static QuotaFailure quota() {
    return QuotaFailure.newBuilder()
        .addViolations(
            QuotaFailure.Violation.newBuilder()
                .setSubject("streams:client")
                .setDescription("1 open streams of one client, of at most 1."))
        .build();
  }

  /** Ends the stream as a proxy or a library does: with only a code. */
  Script broken(Status.Code code) {
    end = code.toStatus().withDescription("broken").asRuntimeException();
    return this;
  }

  void play(StreamObserver<ListAndWatchResponse> stream) {
    responses.forEach(stream::onNext);
    if (end != null) {
      stream.onError(end);
    } else if (isCompleted) {
      stream.onCompleted();
    }
  }

  private Script send(ListAndWatchResponse.Builder response) {
    responses.add(response.build());
    return this;
  }

  private static ListAndWatchResponse.Builder response() {
    return ListAndWatchResponse.newBuilder();
  }

  private static ListAndWatchResponse.Builder reached(String token) {
    return response().setResumeToken(ByteString.copyFromUtf8(token)).setResourceVersion("1");
  }

  private static com.google.protobuf.Duration proto(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
