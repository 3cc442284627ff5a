package io.watchgate.informer;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Gateway that answers each stream with arbitrary bytes from the test. It uses a real connection:
 * the in-process transport loses the end of a call whose response cannot be parsed while other
 * responses are queued. Thread-safe.
 */
final class RawGateway implements AutoCloseable {
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

  private final Server server;
  private final List<ServerCallStreamObserver<byte[]>> open = new ArrayList<>();
  private final List<ListAndWatchRequest> requests = new ArrayList<>();
  private Script script;

  /** Answers to streams. */
  interface Script {
    Answer to(ListAndWatchRequest request, int stream);
  }

  /** Responses of one stream, and whether the stream is ended after them. */
  record Answer(List<byte[]> responses, boolean isEnded) {}

  RawGateway(Script script) {
    this.script = script;
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName(WatchServiceGrpc.getListAndWatchMethod().getFullMethodName())
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();
    try {
      server =
          Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
              .addService(
                  ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
                      .addMethod(method, ServerCalls.asyncServerStreamingCall(this::answer))
                      .build())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a new client of this gateway. */
  WatchClient client() {
    return WatchClient.to("127.0.0.1", server.getPort()).build();
  }

  private synchronized void answer(byte[] request, StreamObserver<byte[]> observer) {
    ServerCallStreamObserver<byte[]> stream = (ServerCallStreamObserver<byte[]>) observer;
    stream.setOnCancelHandler(() -> {}); // otherwise the call would throw here
    ListAndWatchRequest asked;
    try {
      asked = ListAndWatchRequest.parseFrom(request);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requests.add(asked);
    Answer answer = script.to(asked, requests.size());
    answer.responses().forEach(stream::onNext);
    if (answer.isEnded()) {
      end(stream);
    } else {
      open.add(stream);
    }
  }

  private static void end(StreamObserver<byte[]> stream) {
    stream.onError(Status.UNAVAILABLE.withDescription("ended by the test").asRuntimeException());
  }

  /** Sets the script for new streams and ends open streams. */
  synchronized void follow(Script next) {
    script = next;
    requests.clear();
    open.forEach(RawGateway::end);
    open.clear();
  }

  /** Returns the requests since the script was set. */
  synchronized List<ListAndWatchRequest> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
