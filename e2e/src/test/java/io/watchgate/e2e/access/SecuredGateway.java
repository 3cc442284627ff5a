package io.watchgate.e2e.access;

import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Process {@code watchgate serve} with access options, and connections to it. */
final class SecuredGateway implements AutoCloseable {
  static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final int SMALL_WINDOW = 64 << 10;

  private final Command command;
  private final Command.Ports ports;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ManagedChannel shared;

  private SecuredGateway(Command command) {
    this.command = command;
    this.ports = command.awaitServing();
    this.shared = connect();
  }

  /** Starts the process. Returns once it serves. */
  static SecuredGateway open(GatewayAccount gatewayAccount, String... options) {
    return open(List.of(), gatewayAccount, options);
  }

  /**
   * Starts the process. Returns once it serves.
   *
   * @param ofJvm options of its JVM
   */
  static SecuredGateway open(List<String> ofJvm, GatewayAccount gatewayAccount, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("serve", "--kubeconfig", gatewayAccount.kubeconfig().toString()));
    arguments.addAll(List.of("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"));
    arguments.addAll(List.of(options));
    Command command = Command.start(Command.HEAP_MIB, ofJvm, arguments.toArray(new String[0]));
    try {
      return new SecuredGateway(command);
    } catch (RuntimeException | AssertionError e) {
      command.close();
      throw e;
    }
  }

  int port() {
    return ports.grpc();
  }

  /** Returns the port of probes, metrics and pages. */
  int httpPort() {
    return ports.http();
  }

  /** Waits until the types that it opens at the start are loaded. */
  void awaitReady() {
    command.awaitReady();
  }

  /** Ends the process by SIGTERM, and waits until it has ended. */
  void end() {
    var _ = command.end("TERM");
  }

  /** Returns the port of the Kubernetes read API, which must be served. */
  int kubePort() {
    return ports.kube();
  }

  /** Returns a client of the Kubernetes read API, which must be served, with a bearer token. */
  Cluster kubeApi(String token) {
    return Cluster.plaintext(URI.create("http://127.0.0.1:" + ports.kube()), token);
  }

  /** Returns the shared connection with a bearer token. */
  Channel with(String token) {
    return sending("Bearer " + token);
  }

  /** Returns the shared connection with any number of {@code authorization} headers. */
  Channel sending(String... values) {
    return sending(shared, values);
  }

  static Channel sending(Channel channel, String... values) {
    Metadata headers = new Metadata();
    for (String value : values) {
      headers.put(AUTHORIZATION, value);
    }
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  Channel sending(Metadata headers) {
    return ClientInterceptors.intercept(shared, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Returns a separate connection with a small flow-control window. */
  Channel apart(String token) {
    return sending(connect(), "Bearer " + token);
  }

  /**
   * Returns a separate TLS connection with a client certificate.
   *
   * @param prefix path prefix of the two files for the certificate and its key
   * @param authority issuer of the gateway's certificate
   */
  Channel showing(Path prefix, Path authority, ClientCertificate certificate) {
    try {
      Path chain = Files.writeString(Path.of(prefix + ".crt"), certificate.certificate());
      Path key = Files.writeString(Path.of(prefix + ".key"), certificate.key());
      return encrypted(
          TlsChannelCredentials.newBuilder()
              .trustManager(authority.toFile())
              .keyManager(chain.toFile(), key.toFile())
              .build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a separate TLS connection without a client certificate. */
  ManagedChannel trusting(Path authority) {
    try {
      return encrypted(TlsChannelCredentials.newBuilder().trustManager(authority.toFile()).build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ManagedChannel encrypted(ChannelCredentials credentials) {
    ManagedChannel made =
        NettyChannelBuilder.forAddress("127.0.0.1", ports.grpc(), credentials)
            .disableRetry()
            .build();
    channels.add(made);
    return made;
  }

  private ManagedChannel connect() {
    ManagedChannel made =
        NettyChannelBuilder.forAddress("127.0.0.1", ports.grpc())
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(SMALL_WINDOW)
            .build();
    channels.add(made);
    return made;
  }

  /** Returns all log lines of the process. */
  List<String> said() {
    return command.err();
  }

  /** Returns all metrics as text. */
  String metrics() {
    return page("/metrics").body();
  }

  /** Returns the answer to a request for a page from this host. */
  HttpResponse<String> page(String path, String... headers) {
    URI uri = URI.create("http://127.0.0.1:" + ports.http() + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the answer to a request for a page from elsewhere, as JSON. */
  HttpResponse<String> pageElsewhere(String path, String token) {
    return page(
        path,
        "Authorization",
        "Bearer " + token,
        "Accept",
        "application/json",
        "X-Forwarded-For", // the address of a proxy says nothing about that of the caller
        "192.0.2.1");
  }

  /** Returns the sum of a metric over all its lines. */
  double metric(String name) {
    return new MetricsText(metrics()).sum(name);
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    http.close();
    command.close();
  }
}
