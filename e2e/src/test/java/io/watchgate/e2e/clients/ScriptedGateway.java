package io.watchgate.e2e.clients;

import static org.awaitility.Awaitility.await;

import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Gateway that plays one {@link Script} for each stream, in order; streams after the last script
 * stay open and send nothing.
 */
final class ScriptedGateway extends WatchServiceGrpc.WatchServiceImplBase implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final List<String> authorizations = new CopyOnWriteArrayList<>();

  /** Request and its time. */
  record Asked(String token, long nanoTime) {}

  private final Queue<Script> scripts;
  private final List<Asked> asked = new ArrayList<>();
  private final List<StreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
  private final Server server;

  ScriptedGateway(Script... scripts) throws IOException {
    this(InsecureServerCredentials.create(), scripts);
  }

  ScriptedGateway(ServerCredentials credentials, Script... scripts) throws IOException {
    this.scripts = new ArrayDeque<>(List.of(scripts));
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    this.server =
        NettyServerBuilder.forAddress(anyPort, credentials)
            .addService(this)
            .intercept(new Headers())
            .build()
            .start();
  }

  private final class Headers implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      String shown = headers.get(AUTHORIZATION);
      authorizations.add(shown == null ? "" : shown);
      return next.startCall(call, headers);
    }
  }

  /** Returns the authorization header of each stream; empty if there is none. */
  List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  int port() {
    return server.getPort();
  }

  @Override
  public synchronized void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> stream) {
    asked.add(new Asked(request.getResumeToken().toStringUtf8(), System.nanoTime()));
    streams.add(stream);
    // Sending to a disconnected client is no error of the test.
    ((ServerCallStreamObserver<ListAndWatchResponse>) stream).setOnCancelHandler(() -> {});
    Script script = scripts.poll();
    if (script != null) {
      script.play(stream);
    }
  }

  /** Plays another script on the most recently opened stream. */
  synchronized void goOn(Script more) {
    more.play(streams.getLast());
  }

  /** Returns the requests so far. */
  synchronized List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** Waits for a number of requests and returns their tokens; empty if there is none. */
  List<String> awaitTokens(int count) {
    await().atMost(LIMIT).until(() -> asked().size() >= count);
    return asked().stream().map(Asked::token).toList();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
