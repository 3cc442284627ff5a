import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executors;

/**
 * As much of an apiserver as the training of the launcher needs: three pods, of which one changes
 * ten times a second. Runs from source, without dependencies; writes the kubeconfig that leads to
 * it into the file that is its argument.
 */
final class TrainingCluster {
  private static final int FIRST = 1000;

  private TrainingCluster() {}

  public static void main(String[] args) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", TrainingCluster::answer);
    server.setExecutor(
        Executors.newCachedThreadPool(Thread.ofPlatform().name("http-", 0).factory()));
    server.start();
    Path file = Path.of(args[0]);
    Path half = Path.of(args[0] + ".half");
    Files.writeString(
        half,
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
        users: [{name: u, user: {}}]
        contexts: [{name: x, context: {cluster: c, user: u}}]
        current-context: x
        """
            .formatted(server.getAddress().getPort()));
    Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    String path = exchange.getRequestURI().getPath();
    if (path.equals("/api/v1/pods") && query.contains("watch=")) {
      watch(exchange);
      return;
    }
    String body =
        switch (path) {
          case "/api" ->
              """
              {"kind":"APIVersions","versions":["v1"]}\
              """;
          case "/apis" ->
              """
              {"kind":"APIGroupList","apiVersion":"v1","groups":[]}\
              """;
          case "/api/v1" ->
              """
              {"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[
              {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",
              "shortNames":["po"],"verbs":["get","list","watch"]}]}\
              """;
          case "/api/v1/namespaces/kube-system" ->
              """
              {"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system",
              "uid":"00000000-0000-4000-8000-000000000001","resourceVersion":"1"}}\
              """;
          case "/api/v1/pods" ->
              """
              {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[
              %s,%s,%s]}\
              """
                  .formatted(
                      FIRST, pod("web-0", FIRST), pod("web-1", FIRST - 1), pod("web-2", FIRST - 2));
          default -> "";
        };
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(bytes.length == 0 ? 404 : 200, Math.max(bytes.length, -1));
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static void watch(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      for (int version = FIRST + 1; ; version++) {
        String event = "{\"type\":\"MODIFIED\",\"object\":" + pod("web-0", version) + "}\n";
        out.write(event.getBytes(StandardCharsets.UTF_8));
        out.flush();
        Thread.sleep(100);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String pod(String name, int version) {
    return """
    {"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"default","uid":"uid-%s",\
    "resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web"}},\
    "spec":{"nodeName":"node-1","containers":[{"name":"app","image":"web:1"}]},"status":\
    {"phase":"Running","podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True"}],\
    "containerStatuses":[{"name":"app","ready":true,"restartCount":%d,"image":"web:1",\
    "state":{"running":{"startedAt":"2026-01-01T00:00:01Z"}}}]}}\
    """
        .formatted(name, name, version, version % 3);
  }
}
