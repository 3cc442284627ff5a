package io.watchgate.e2e.kubeapi;

import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * Gateway before an apiserver, with clients of both that have the same token.
 *
 * @param direct client of the apiserver
 * @param proxied client of the gateway
 */
record ProxiedApiserver(Command gateway, Command.Ports ports, Cluster direct, Cluster proxied)
    implements AutoCloseable {
  /** Server that a request is sent to. */
  enum Server {
    APISERVER,
    GATEWAY
  }

  /** Starts a gateway on free ports, with further options. */
  static ProxiedApiserver start(Apiserver apiserver, String... options) {
    return start(apiserver, 0, options);
  }

  /** Starts a gateway whose Kubernetes read API has a port. */
  static ProxiedApiserver start(Apiserver apiserver, int kubePort, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("serve", "--kubeconfig", apiserver.kubeconfig().toString()));
    arguments.addAll(List.of("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"));
    arguments.addAll(List.of("--kube-listen", "127.0.0.1:" + kubePort, "--token-review"));
    arguments.addAll(List.of(options));
    Command gateway = Command.start(arguments.toArray(new String[0]));
    try {
      Command.Ports ports = gateway.awaitServing();
      return new ProxiedApiserver(
          gateway,
          ports,
          apiserver.cluster(),
          Cluster.plaintext(server(ports.kube()), apiserver.token()));
    } catch (RuntimeException | AssertionError e) {
      gateway.close();
      throw e;
    }
  }

  Cluster at(Server server) {
    return switch (server) {
      case APISERVER -> direct;
      case GATEWAY -> proxied;
    };
  }

  static URI server(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  URI server() {
    return server(ports.kube());
  }

  MetricsText metrics() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.http() + "/metrics")).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return new MetricsText(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    proxied.close();
    gateway.close();
  }
}
