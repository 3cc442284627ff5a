package io.watchgate.e2e.ops;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/** Process of Prometheus on a local port, which scrapes gateways and evaluates rules. */
final class Prometheus implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final RunningProgram process;
  private final URI uri;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * Page of metrics of a gateway.
   *
   * @param namespace value of the label that Prometheus sets in a cluster
   * @param port on 127.0.0.1
   */
  record Target(String job, String namespace, int port, Duration interval) {}

  /** Alert that fires, or a series of another query. */
  record Series(Map<String, String> labels, Map<String, String> annotations) {
    String name() {
      return labels.getOrDefault("alertname", "");
    }
  }

  private Prometheus(RunningProgram process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  /**
   * Starts the process. Returns once each target was scraped.
   *
   * @param folder for configuration and data
   * @param rules files of rules
   */
  static Prometheus start(Path folder, List<Target> targets, List<Path> rules) throws IOException {
    Path config = folder.resolve("prometheus.yaml");
    Files.writeString(config, configuration(targets, rules).toString());
    int port = StablePorts.free();
    Prometheus started =
        new Prometheus(
            Program.of(
                    Repository.root().resolve("e2e/monitoring/prometheus").toString(),
                    "--config.file=" + config,
                    "--storage.tsdb.path=" + folder.resolve("data"),
                    "--web.listen-address=127.0.0.1:" + port)
                .start(),
            URI.create("http://127.0.0.1:" + port));
    try {
      await()
          .atMost(LIMIT)
          .ignoreExceptions() // it does not listen at once
          .untilAsserted(
              () -> {
                if (started.query("up == 1").size() < targets.size()) {
                  throw new AssertionError(
                      "not scraped: " + started.query("up == 0") + " " + started.process.err());
                }
              });
      return started;
    } catch (RuntimeException | AssertionError e) {
      started.close();
      throw e;
    }
  }

  private static ObjectNode configuration(List<Target> targets, List<Path> rules) {
    ObjectNode config = Json.object();
    config.withObject("/global").put("evaluation_interval", "1s");
    rules.forEach(file -> config.withArray("/rule_files").add(file.toString()));
    for (Target target : targets) {
      ObjectNode scrape = config.withArray("/scrape_configs").addObject();
      String interval = target.interval.toSeconds() + "s";
      scrape
          .put("job_name", target.namespace + "-" + target.port)
          .put("scrape_interval", interval)
          .put("scrape_timeout", interval);
      ObjectNode group = scrape.withArray("/static_configs").addObject();
      group.withArray("/targets").add("127.0.0.1:" + target.port);
      group.withObject("/labels").put("job", target.job).put("namespace", target.namespace);
    }
    return config;
  }

  /** Returns the alerts that fire now. */
  List<Series> firing() {
    return StreamSupport.stream(get("/api/v1/alerts").at("/data/alerts").spliterator(), false)
        .filter(alert -> alert.at("/state").textValue().equals("firing"))
        .map(alert -> new Series(texts(alert.get("labels")), texts(alert.get("annotations"))))
        .toList();
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.properties().forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    return texts;
  }

  /** Returns the vector of an expression, or fails if Prometheus refuses it. */
  List<JsonNode> query(String expression) {
    return results("/api/v1/query?query=" + encoded(expression));
  }

  /** Returns the values of an expression in the last part of the time, one for each second. */
  List<JsonNode> queryRange(String expression, Duration last) {
    long now = System.currentTimeMillis() / 1000;
    return results(
        "/api/v1/query_range?query=%s&start=%d&end=%d&step=1"
            .formatted(encoded(expression), now - last.toSeconds(), now));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private List<JsonNode> results(String path) {
    JsonNode answer = get(path);
    if (!answer.at("/status").asText().equals("success")) {
      throw new AssertionError(path + ": " + answer);
    }
    return StreamSupport.stream(answer.at("/data/result").spliterator(), false).toList();
  }

  /** Returns the names of all metrics that were scraped or recorded. */
  List<String> metrics() {
    return StreamSupport.stream(
            get("/api/v1/label/__name__/values").at("/data").spliterator(), false)
        .map(JsonNode::textValue)
        .toList();
  }

  private JsonNode get(String path) {
    try {
      return Json.parse(
          http.send(
                  HttpRequest.newBuilder(URI.create(uri + path)).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body());
    } catch (IOException e) {
      if (!process.isAlive()) {
        throw new IllegalStateException("Prometheus ended, having said " + process.err(), e);
      }
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    http.close();
    process.close();
  }
}
