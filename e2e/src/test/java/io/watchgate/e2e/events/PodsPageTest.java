package io.watchgate.e2e.events;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.watchgate.browser.BrowserSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.clients.NodeSdk;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.BrowserProgram;
import io.watchgate.server.KubeApiSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Test of {@code examples/pods.html}, of gRPC-Web and of the npm package in Chromium: {@code
 * e2e/browser/events.mjs} has its cases.
 */
@Order(Order.DEFAULT + 1) // after runs with time limits: it keeps all CPUs busy
@WithSharedApiserver
@Requires(RequiredTool.NODE)
@Requires(RequiredTool.CHROMIUM)
final class PodsPageTest {
  private static final String NAMESPACE = "pods-page";
  private static final String WRITE = "/write/";

  @Test
  void requestsOfPages_inBrowser_passTheirCases(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace(NAMESPACE);
    Path packages = NodeSdk.install(NodeSdk.release(), "highest", "pages");
    HttpServer site = site(apiserver.cluster());
    String origin = "http://127.0.0.1:" + site.getAddress().getPort();
    try (GatewayUnderTest gateway =
        GatewayUnderTest.startWithKubeApi(
            apiserver.kubeconfig(),
            GatewaySetup.AS_SERVED.opening("pods"),
            KubeApiSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .with(BrowserSettings.DEFAULTS.withOrigins(Set.of(origin))))) {
      BrowserProgram.requirePassed(
          "events.mjs",
          Map.of(
              "SITE",
              origin,
              "NAMESPACE",
              NAMESPACE,
              "PORT",
              Integer.toString(gateway.kubePort()),
              "METRICS",
              "http://127.0.0.1:" + gateway.httpPort() + "/metrics",
              "PACKAGES",
              packages.resolve("node_modules").toString(),
              "EXAMPLE",
              NodeSdk.SOURCES.resolve("examples/browser.mjs").toString()),
          7);
    } finally {
      site.stop(0);
    }
  }

  /** Starts the site of the pages, which also writes a pod for each request that asks for it. */
  private static HttpServer site(Cluster cluster) throws IOException {
    HttpServer site =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    for (String page : List.of("examples/pods.html", "e2e/browser/sdk.html")) {
      Path file = Repository.root().resolve(page);
      byte[] content = Files.readAllBytes(file);
      site.createContext("/" + file.getFileName(), exchange -> answer(exchange, content));
    }
    site.createContext(
        WRITE,
        exchange -> {
          String name = exchange.getRequestURI().getPath().substring(WRITE.length());
          String version = write(cluster, name).at("/metadata/resourceVersion").textValue();
          answer(exchange, version.getBytes(StandardCharsets.UTF_8));
        });
    site.start();
    return site;
  }

  private static void answer(HttpExchange exchange, byte[] body) throws IOException {
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static JsonNode write(Cluster cluster, String name) {
    try {
      return cluster.patch(
          Resource.PODS,
          NAMESPACE,
          name,
          "{\"metadata\":{\"annotations\":{\"at\":\"%d\"}}}".formatted(System.nanoTime()));
    } catch (KubeException e) {
      if (e.code() != 404) {
        throw e;
      }
      return cluster.create(
          Resource.PODS,
          Json.parse(
              """
              {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s"},
               "spec":{"containers":[{"name":"main","image":"example.test/web:1"}]}}
              """
                  .formatted(NAMESPACE, name)));
    }
  }
}
