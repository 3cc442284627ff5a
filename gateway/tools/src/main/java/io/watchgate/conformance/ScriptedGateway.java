package io.watchgate.conformance;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
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
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Gateway on free local ports that plays one {@link ScriptedStream} for each stream, in order, and
 * then another one for each further stream. Thread-safe.
 */
public final class ScriptedGateway extends WatchServiceGrpc.WatchServiceImplBase
    implements AutoCloseable {
  private static final Context.Key<Integer> PORT = Context.key("port");
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * Request that the gateway received.
   *
   * @param port local port of the connection
   * @param nanoTime time of {@link System#nanoTime}
   */
  public record Received(ListAndWatchRequest message, int port, long nanoTime) {
    /** Returns the token as text; empty if there is none. */
    public String token() {
      return message.getResumeToken().toStringUtf8();
    }
  }

  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private final List<String> certificates = new CopyOnWriteArrayList<>();
  private final List<Received> requests = new CopyOnWriteArrayList<>();
  private final List<Long> ends = new CopyOnWriteArrayList<>();
  private final Queue<ScriptedStream> streams;
  private final ScriptedStream further;
  private final List<StreamObserver<ListAndWatchResponse>> observers = new ArrayList<>();
  private final Server server;

  /**
   * Starts a gateway at one port.
   *
   * @param further played on each stream after the last one
   */
  public ScriptedGateway(
      ServerCredentials credentials, List<ScriptedStream> streams, ScriptedStream further)
      throws IOException {
    this(credentials, 1, streams, further);
  }

  /**
   * Starts a gateway.
   *
   * @param ports number of its ports, to which a client connects as to several gateways
   * @param further played on each stream after the last one
   */
  ScriptedGateway(
      ServerCredentials credentials,
      int ports,
      List<ScriptedStream> streams,
      ScriptedStream further)
      throws IOException {
    this.further = further;
    this.streams = new ArrayDeque<>(streams);
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    NettyServerBuilder builder = NettyServerBuilder.forAddress(anyPort, credentials);
    for (int i = 1; i < ports; i++) {
      builder.addListenAddress(anyPort);
    }
    this.server = builder.addService(this).intercept(new Headers()).build().start();
  }

  private final class Headers implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      String shown = headers.get(AUTHORIZATION);
      authorizations.add(shown == null ? "" : shown);
      certificates.add(subject(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION)));
      SocketAddress local = call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR);
      Context context = Context.current().withValue(PORT, port(local));
      return Contexts.interceptCall(context, call, headers, next);
    }
  }

  /** Returns the header {@code authorization} of each call so far; empty if there is none. */
  public List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  private static String subject(@Nullable SSLSession session) {
    try {
      return session == null ? "" : session.getPeerPrincipal().getName();
    } catch (SSLPeerUnverifiedException e) {
      return ""; // the client has no certificate
    }
  }

  /** Returns the subject of the client's certificate of each call so far; empty if none. */
  public List<String> certificates() {
    return List.copyOf(certificates);
  }

  /** Returns the local port, of several the first. */
  public int port() {
    return server.getPort();
  }

  /** Returns the local ports. */
  List<Integer> ports() {
    return server.getListenSockets().stream().map(ScriptedGateway::port).toList();
  }

  private static int port(@Nullable SocketAddress address) {
    return ((InetSocketAddress) Objects.requireNonNull(address)).getPort();
  }

  @Override
  public synchronized void listAndWatch(
      ListAndWatchRequest request, StreamObserver<ListAndWatchResponse> stream) {
    observers.add(stream);
    // Otherwise sending to a client that has gone throws an exception.
    ((ServerCallStreamObserver<ListAndWatchResponse>) stream)
        .setOnCancelHandler(() -> ends.add(System.nanoTime()));
    requests.add(new Received(request, PORT.get(), System.nanoTime()));
    play(streams.isEmpty() ? further : streams.remove(), stream);
  }

  private void play(ScriptedStream script, StreamObserver<ListAndWatchResponse> stream) {
    if (!(script.end() instanceof StreamEnd.Open)) {
      ends.add(System.nanoTime());
    }
    script.play(stream);
  }

  /** Plays a further script on the stream that was opened last. */
  public synchronized void playMore(ScriptedStream more) {
    play(more, observers.getLast());
  }

  /** Returns the requests so far. */
  public List<Received> requests() {
    return List.copyOf(requests);
  }

  /** Returns the times of the ends of streams so far, by the server or the client. */
  List<Long> ends() {
    return List.copyOf(ends);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
