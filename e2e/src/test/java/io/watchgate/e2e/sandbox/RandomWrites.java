package io.watchgate.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Random writes, some of which must be refused, with counts of their outcomes. */
final class RandomWrites {
  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final List<String> LABELS =
      List.of("{\"app\":\"web\"}", "{\"app\":\"api\"}", "{}", "{\"app\":\"web\",\"tier\":\"1\"}");

  private final ServerPair servers;
  private final Random random;
  private final List<String> namespaces;
  private final Map<Sample, ObjectNode> complete = new EnumMap<>(Sample.class);
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final List<String> differences = new ArrayList<>();

  RandomWrites(ServerPair servers, Random random, List<String> namespaces) {
    this.servers = servers;
    this.random = random;
    this.namespaces = namespaces;
  }

  /** Returns the number of responses for each kind of write and status. */
  Map<String, Integer> outcomes() {
    return outcomes;
  }

  /** Returns the differences between the answers. */
  List<String> differences() {
    return differences;
  }

  void write(Sample sample) {
    String namespace = sample.namespaced() ? pick(namespaces) : "";
    String name = sample.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + pick(NAMES);
    String path = sample.path(namespace, name);
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> ask("create", create(sample, namespace, name));
      case 4 -> ask("merge", ComparedRequest.patch(path, "merge-patch", metadata()));
      case 5 -> ask("strategic", ComparedRequest.patch(path, "strategic-merge-patch", metadata()));
      case 6 -> ask("json patch", ComparedRequest.patch(path, "json-patch", jsonPatch()));
      case 7 ->
          ask("status", ComparedRequest.patch(path + "/status", "merge-patch", status(sample)));
      case 8 -> ask("finalize", ComparedRequest.patch(path, "merge-patch", finalizers()));
      case 9 ->
          ask(
              "stale",
              ComparedRequest.patch(
                  path, "merge-patch", "{\"metadata\":{\"resourceVersion\":\"1\"}}"));
      default -> ask("delete", ComparedRequest.delete(path, deleteOptions()));
    }
  }

  private void ask(String kind, ComparedRequest ask) {
    ComparedServer.Answer answer = servers.ask(ask, differences);
    outcomes.merge(kind + " " + answer.code(), 1, Integer::sum);
  }

  private ComparedRequest create(Sample sample, String namespace, String name) {
    String collection = sample.collection(namespace);
    ObjectNode object =
        complete
            .computeIfAbsent(
                sample,
                it ->
                    (ObjectNode)
                        servers.completed(collection, it.body(namespace, "complete", "{}")))
            .deepCopy();
    ObjectNode metadata = object.putObject("metadata").put("name", name);
    metadata.set("labels", Json.parse(pick(LABELS)));
    if (object.at("/spec/clusterIP").isTextual()) {
      ((ObjectNode) object.get("spec")).remove(List.of("clusterIP", "clusterIPs"));
    }
    return ComparedRequest.post(collection, object.toString());
  }

  private String metadata() {
    return switch (random.nextInt(4)) {
      case 0 -> "{\"metadata\":{\"labels\":{\"app\":\"" + pick(List.of("web", "api")) + "\"}}}";
      case 1 -> "{\"metadata\":{\"labels\":{\"app\":null}}}";
      case 2 -> "{\"metadata\":{\"annotations\":{\"n\":\"" + random.nextInt(1000) + "\"}}}";
      default -> "{\"metadata\":{\"labels\":{\"not valid\":\"\"}}}";
    };
  }

  private String jsonPatch() {
    return switch (random.nextInt(3)) {
      case 0 -> "[{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"j\":\"1\"}}]";
      case 1 -> "[{\"op\":\"test\",\"path\":\"/kind\",\"value\":\"Nothing\"}]";
      default -> "[{\"op\":\"remove\",\"path\":\"/metadata/annotations/j\"}]";
    };
  }

  private String status(Sample sample) {
    return switch (sample) {
      case POD ->
          "{\"status\":{\"phase\":\"%s\",\"message\":\"m%d\"}}"
              .formatted(pick(List.of("Running", "Pending", "Succeeded")), random.nextInt(9));
      case DEPLOYMENT, REPLICA_SET ->
          "{\"status\":{\"replicas\":%d,\"observedGeneration\":1}}".formatted(random.nextInt(9));
      default -> "{\"status\":{\"conditions\":[]}}";
    };
  }

  private String finalizers() {
    return random.nextInt(3) == 0
        ? "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}"
        : "{\"metadata\":{\"finalizers\":null}}";
  }

  private String deleteOptions() {
    return switch (random.nextInt(5)) {
      case 0 ->
          "{\"preconditions\":{\"uid\":\"00000000-0000-0000-0000-000000000000\"},"
              + "\"gracePeriodSeconds\":0}";
      case 1 -> "{\"preconditions\":{\"resourceVersion\":\"1\"},\"gracePeriodSeconds\":0}";
      default -> "{\"gracePeriodSeconds\":0}";
    };
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
