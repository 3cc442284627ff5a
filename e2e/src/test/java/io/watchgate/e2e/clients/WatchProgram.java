package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowingConsumer;

/** Running client process and the lines that it has printed. */
final class WatchProgram implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final RunningProgram program;

  private WatchProgram(RunningProgram program) {
    this.program = program;
  }

  /** Starts a client that watches config maps at a local port. */
  static WatchProgram start(Program client, int port, String... arguments) {
    return new WatchProgram(
        client.and("configmaps", "--server", "127.0.0.1:" + port).and(arguments).start());
  }

  RunningProgram program() {
    return program;
  }

  /**
   * Returns the events so far: {@code ADDED shop/web}, {@code SYNCED}, {@code ERROR UNAVAILABLE}.
   */
  List<String> story() {
    return lines().stream().map(WatchProgram::summary).toList();
  }

  private static String summary(JsonNode line) {
    String what = line.get("what").textValue();
    return (what + " " + line.get("key").asText("") + line.at("/value/status").asText("")).strip();
  }

  /** Waits until the events fulfil {@code assertion}. */
  void awaitStory(ThrowingConsumer<List<String>> assertion) {
    await().atMost(LIMIT).untilAsserted(() -> assertion.accept(story()));
  }

  /** Returns the client's state: the last value of each key that was not deleted. */
  Map<String, JsonNode> state() {
    Map<String, JsonNode> state = new TreeMap<>();
    for (JsonNode line : lines()) {
      String key = line.get("key").asText("");
      switch (line.get("what").textValue()) {
        case "ADDED", "MODIFIED" -> state.put(key, line.get("value"));
        case "DELETED" -> assertThat(state.remove(key)).as(key).isNotNull();
        default -> {}
      }
    }
    return state;
  }

  /** Returns the value of the last line so far of the type {@code what}. */
  JsonNode last(String what) {
    return lines().stream()
        .filter(line -> line.get("what").textValue().equals(what))
        .reduce((earlier, later) -> later)
        .orElseThrow()
        .get("value");
  }

  private List<JsonNode> lines() {
    return program.out().stream().map(Json::parse).toList();
  }

  @Override
  public void close() {
    program.close();
  }
}
