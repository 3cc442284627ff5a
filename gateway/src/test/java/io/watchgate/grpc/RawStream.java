package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Stream of a client that sees only bytes, with manual flow control. */
final class RawStream extends ClientCall.Listener<byte[]> {
  private static final int LIMIT_SECONDS = 30;

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  static final MethodDescriptor<byte[], byte[]> LIST_AND_WATCH =
      raw(WatchServiceGrpc.getListAndWatchMethod());

  /** End of a stream. */
  record End(Status status, Metadata trailers) {
    String summary() {
      return status.getCode()
          + " "
          + trailers.get(GrpcErrors.REASON)
          + " "
          + trailers.get(GrpcErrors.ACTION);
    }
  }

  private final ClientCall<byte[], byte[]> call;
  private final List<byte[]> responses = new CopyOnWriteArrayList<>();
  private final CompletableFuture<End> end = new CompletableFuture<>();

  private RawStream(ClientCall<byte[], byte[]> call) {
    this.call = call;
  }

  /**
   * Returns a method of a client that does not know how many requests a method takes, and sends
   * each at once.
   */
  static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
    return method.toBuilder(BYTES, BYTES)
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .build();
  }

  /** Begins a stream without a request. */
  static RawStream begin(Channel channel, MethodDescriptor<byte[], byte[]> method) {
    RawStream stream = new RawStream(channel.newCall(method, CallOptions.DEFAULT));
    stream.call.start(stream, new Metadata());
    return stream;
  }

  /** Opens a stream with a request, and accepts any number of responses. */
  static RawStream open(Channel channel, MessageLite request) {
    RawStream stream = begin(channel, LIST_AND_WATCH);
    stream.ask(request.toByteArray());
    stream.halfClose();
    stream.demand(Integer.MAX_VALUE);
    return stream;
  }

  void ask(byte[] request) {
    call.sendMessage(request);
  }

  void halfClose() {
    call.halfClose();
  }

  void demand(int responses) {
    call.request(responses);
  }

  void cancel() {
    call.cancel("the test is done with it", null);
  }

  @Override
  public void onMessage(byte[] response) {
    responses.add(response);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    end.complete(new End(status, trailers));
  }

  List<byte[]> bytes() {
    return responses;
  }

  List<ListAndWatchResponse> responses() {
    return responses.stream().map(RawStream::parse).toList();
  }

  private static ListAndWatchResponse parse(byte[] bytes) {
    try {
      return ListAndWatchResponse.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("no response: " + ByteString.copyFrom(bytes), e);
    }
  }

  /** Returns the last response, once there is one. */
  ListAndWatchResponse last() {
    return parse(responses.getLast());
  }

  /** Returns the address of its connection, once there was a response. */
  @Nullable SocketAddress localAddress() {
    return call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR);
  }

  boolean isSynced() {
    return responses().stream().anyMatch(ListAndWatchResponse::hasSynced);
  }

  End end() {
    try {
      return end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("no end of the stream", e);
    }
  }

  boolean isOver() {
    return end.isDone();
  }

  void assertEnds(String summary) {
    assertThat(end().summary()).isEqualTo(summary);
  }
}
