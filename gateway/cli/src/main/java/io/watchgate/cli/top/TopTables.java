package io.watchgate.cli.top;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.output.TextTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lines of the tables of replicas and streams. */
public final class TopTables {
  private TopTables() {}

  /**
   * Returns the lines.
   *
   * @param survey result of {@link GatewaySurvey#ask}
   * @param width columns of the terminal; columns of the tables that do not fit are left out
   */
  public static List<String> lines(JsonObject survey, int width) {
    List<String> lines = new ArrayList<>(replicas(survey.getAsJsonArray("replicas"), width));
    JsonArray streams = survey.getAsJsonArray("streams");
    lines.add("");
    lines.add(streams.size() + " of " + survey.get("total").getAsInt() + " streams");
    if (!streams.isEmpty()) {
      lines.addAll(streams(streams, width));
    }
    return lines;
  }

  private static List<String> replicas(JsonArray replicas, int width) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("REPLICA", "READY", "STREAMS", "UP", "VERSION", "SERVER"));
    for (JsonElement element : replicas) {
      JsonObject replica = element.getAsJsonObject();
      String error = text(replica, "error");
      rows.add(
          List.of(
              text(replica, "address"),
              error.isEmpty() ? text(replica, "ready") : error,
              text(replica, "streams"),
              text(replica, "up"),
              text(replica, "version"),
              text(replica, "server")));
    }
    return aligned(rows, width);
  }

  private static List<String> streams(JsonArray streams, int width) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "BEHIND",
            "SECONDS",
            "BYTES",
            "PHASE",
            "TYPE",
            "CLIENT",
            "USER",
            "ADDRESS",
            "SENT",
            "SELECTION",
            "STREAM"));
    for (JsonElement element : streams) {
      JsonObject row = element.getAsJsonObject();
      rows.add(
          List.of(
              text(row, "behindEvents"),
              text(row, "behindSeconds"),
              text(row, "behindBytes"),
              text(row, "phase") + (row.get("blocked").getAsBoolean() ? " blocked" : ""),
              text(row, "type"),
              text(row, "client"),
              text(row, "user"),
              text(row, "address"),
              text(row, "sentBytes"),
              selection(row),
              text(row, "stream")));
    }
    return aligned(rows, width);
  }

  private static String selection(JsonObject row) {
    List<String> parts = new ArrayList<>();
    List<String> namespaces = new ArrayList<>();
    row.getAsJsonArray("namespaces").forEach(namespace -> namespaces.add(namespace.getAsString()));
    if (!namespaces.isEmpty()) {
      parts.add("-n " + String.join(",", namespaces));
    }
    if (!text(row, "labels").isEmpty()) {
      parts.add("-l " + text(row, "labels"));
    }
    if (!text(row, "fields").isEmpty()) {
      parts.add("--field-selector " + text(row, "fields"));
    }
    return parts.isEmpty() ? "all" : String.join(" ", parts);
  }

  private static List<String> aligned(List<List<String>> rows, int width) {
    List<List<String>> escaped =
        rows.stream().map(row -> row.stream().map(TerminalEscaper::inLine).toList()).toList();
    return new TextTable()
        .format(TextTable.fitting(escaped, width)).stream()
            .map(String::stripTrailing)
            .map(line -> line.length() <= width ? line : line.substring(0, width - 1) + "…")
            .toList();
  }

  private static String text(JsonObject row, String name) {
    @Nullable JsonElement value = row.get(name);
    return value == null || value.isJsonNull() ? "" : value.getAsString();
  }
}
