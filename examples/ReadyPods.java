import com.google.gson.Gson;
import com.google.protobuf.ByteString;
import io.watchgate.client.WatchClient;
import io.watchgate.controller.Controller;
import io.watchgate.controller.Result;
import io.watchgate.informer.Informer;
import io.watchgate.informer.Labels;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Example controller that keeps a label with the number of ready pods on each namespace. */
class ReadyPods {
  static final String LABEL = "ready-pods";
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static String apiserver = "";

  record Pod(Status status) {}

  record Status(List<Condition> conditions) {}

  record Condition(String type, String status) {}

  record Namespace(Metadata metadata) {}

  record Metadata(String resourceVersion) {}

  public static void main(String[] args) throws Exception {
    apiserver = option(args, "--apiserver", "http://127.0.0.1:8080");
    URI gateway = URI.create("grpc://" + option(args, "--server", "127.0.0.1:7443"));
    WatchClient client = WatchClient.to(gateway.getHost(), gateway.getPort()).build();
    Informer<Boolean> pods =
        Informer.of(client, "pods", ReadyPods::isReady).including("/status/conditions").start();
    Informer<String> namespaces =
        Informer.of(client, "namespaces", json -> Labels.ofJson(json).getOrDefault(LABEL, ""))
            .start();
    try {
      pods.awaitSynced(Duration.ofSeconds(30));
      namespaces.awaitSynced(Duration.ofSeconds(30));
    } catch (TimeoutException e) {
      System.err.println("no gateway has answered at " + gateway.getAuthority() + " for 30 s");
      System.exit(1);
    }
    Controller.of(
            key -> {
              List<StoredObject<Boolean>> there = pods.snapshot().inNamespace(key.name());
              String ready = Long.toString(there.stream().filter(StoredObject::value).count());
              Optional<StoredObject<String>> namespace = namespaces.snapshot().get(key);
              if (namespace.isPresent() && !namespace.get().value().equals(ready)) {
                String version = setLabel(key.name(), ready);
                namespaces.awaitAtLeast(version, Duration.ofSeconds(10)); // makes the write visible
              }
              return Result.done();
            })
        .watch(namespaces)
        .watch(pods, pod -> List.of(new NamespacedName("", pod.key().namespace())))
        .start(2, client.executor());
    Thread.currentThread().join(); // the client's daemon threads do not keep the process alive
  }

  static String option(String[] args, String name, String otherwise) {
    int at = List.of(args).indexOf(name);
    return at >= 0 && at + 1 < args.length ? args[at + 1] : otherwise;
  }

  static boolean isReady(ByteString json) {
    Status status = new Gson().fromJson(json.toStringUtf8(), Pod.class).status();
    return status != null
        && status.conditions() != null
        && status.conditions().contains(new Condition("Ready", "True"));
  }

  static String setLabel(String namespace, String ready) throws Exception {
    String patch = "{\"metadata\":{\"labels\":{\"" + LABEL + "\":\"" + ready + "\"}}}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(apiserver + "/api/v1/namespaces/" + namespace))
            .header("Content-Type", "application/merge-patch+json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(patch))
            .timeout(Duration.ofSeconds(10)) // otherwise a silent apiserver keeps a worker for ever
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("the apiserver answered " + answer); // the controller retries later
    }
    System.out.println(namespace + ": " + ready + " ready");
    return new Gson().fromJson(answer.body(), Namespace.class).metadata().resourceVersion();
  }
}
