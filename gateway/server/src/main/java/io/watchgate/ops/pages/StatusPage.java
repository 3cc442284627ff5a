package io.watchgate.ops.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Pages of the process: what it is, since when it runs and whether it is ready; and the options
 * that are in force.
 */
public final class StatusPage {
  private final Supplier<Status> status;
  private final List<Flag> flags;

  /**
   * Status of the gateway.
   *
   * @param notReady why it is not ready; empty if it is
   * @param streams open streams of gRPC, and watches of the Kubernetes read API
   */
  public record Status(
      String version,
      String serverId,
      String cluster,
      String notReady,
      int streams,
      int replicas) {}

  /**
   * Option of the command line.
   *
   * @param value its value, or its default; the name of a file, never its content
   * @param isSet true if the command line names it
   */
  public record Flag(String name, String value, boolean isSet) {}

  public StatusPage(Supplier<Status> status, List<Flag> flags) {
    this.status = status;
    this.flags = List.copyOf(flags);
  }

  /** Returns the pages. */
  public List<DebugPage> pages() {
    return List.of(
        new DebugPage(
            "/statusz",
            DebugPage.Access.OPEN,
            List.of(),
            "Version, time since the start, readiness.",
            query -> content()),
        new DebugPage(
            "/flagz",
            DebugPage.Access.GUARDED,
            List.of(),
            "The options that are in force.",
            query -> flags()));
  }

  /** Returns the values of the state. */
  JsonObject content() {
    Status now = status.get();
    Instant start = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    JsonObject content = new JsonObject();
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("version", now.version());
    texts.put("jdk", Runtime.version().toString());
    texts.put("server", now.serverId());
    texts.put("cluster", now.cluster());
    texts.put("started", start.toString());
    texts.put("up", text(Duration.between(start, Instant.now())));
    texts.put("ready", now.notReady().isEmpty() ? "yes" : "no: " + now.notReady());
    texts.forEach(content::addProperty);
    content.addProperty("streams", now.streams());
    content.addProperty("replicas", now.replicas());
    content.addProperty("pages", "/debug/list");
    return content;
  }

  private static String text(Duration time) {
    return "%dd %02d:%02d:%02d"
        .formatted(time.toDays(), time.toHoursPart(), time.toMinutesPart(), time.toSecondsPart());
  }

  private JsonObject flags() {
    JsonArray rows = new JsonArray();
    for (Flag flag : flags) {
      JsonObject row = new JsonObject();
      row.addProperty("option", flag.name());
      row.addProperty("value", flag.value());
      row.addProperty("set", flag.isSet());
      rows.add(row);
    }
    JsonObject content = new JsonObject();
    content.add("options", rows);
    return content;
  }
}
