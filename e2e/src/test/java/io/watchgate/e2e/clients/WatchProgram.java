package io.watchgate.e2e.python;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A running {@code watch.py} and the lines it has printed. */
final class WatchProgram implements AutoCloseable {
  private final Process process;
  private final List<JsonNode> lines = new CopyOnWriteArrayList<>();
  private final Thread reader;

  WatchProgram(Process process) {
    this.process = process;
    this.reader = Thread.ofVirtual().start(this::read);
  }

  private void read() {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(Json.parse(line));
      }
    } catch (IOException e) {
      // The process is gone; end() tells how it ended.
    }
  }

  /** What happened so far: {@code ADDED shop/web}, {@code SYNCED}. */
  List<String> story() {
    return lines.stream()
        .map(line -> (line.get("what").textValue() + " " + line.get("key").asText("")).strip())
        .toList();
  }

  /** The value of the last line so far. */
  JsonNode lastValue() {
    return lines.getLast().get("value");
  }

  /** Waits for its end and returns its exit code. */
  int end() throws InterruptedException {
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      throw new IllegalStateException("watch.py has not ended; so far: " + story());
    }
    reader.join();
    return process.exitValue();
  }

  /** Asks it to end (SIGTERM). */
  int stop() throws InterruptedException {
    process.destroy();
    return end();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
