package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.WriteRequest.Method;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A write that {@code record.py} sent to a real apiserver, with its response.
 *
 * @param words whether the sandbox must use the same words in an error
 */
record Recorded(
    Method method,
    String path,
    String media,
    String body,
    Words words,
    int code,
    JsonElement answer) {
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern RECORDED_TIME = Pattern.compile("2026-\\d\\d-\\d\\dT[0-9:]{8}Z");
  private static final Pattern RECORD = Pattern.compile("in record \\(\\d+\\)");
  private static final Set<String> MADE_UP =
      Set.of("resourceVersion", "uid", "clusterIP", "clusterIPs", "nodePort");

  /** Comparison of an error's words. */
  enum Words {
    SAME,
    OWN
  }

  static List<Recorded> all() {
    try (var file = Objects.requireNonNull(Recorded.class.getResourceAsStream("recorded.jsonl"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> read(JsonParser.parseString(line).getAsJsonObject()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recorded read(JsonObject line) {
    return new Recorded(
        Method.valueOf(line.get("method").getAsString()),
        line.get("path").getAsString(),
        line.get("media").getAsString(),
        line.get("body").getAsString(),
        line.get("loose").getAsBoolean() ? Words.OWN : Words.SAME,
        line.get("code").getAsInt(),
        line.get("answer"));
  }

  /** Returns a response as text, without values that each server assigns. */
  static String masked(JsonElement answer) {
    String text = GoJsonText.text(mask(answer), GoJsonText.Order.SORTED);
    text = UID.matcher(text).replaceAll("UID");
    text = RECORD.matcher(text).replaceAll("in record (VERSION)");
    return RECORDED_TIME.matcher(text).replaceAll("TIME");
  }

  private static JsonElement mask(JsonElement value) {
    return switch (value) {
      case JsonObject object -> {
        JsonObject result = new JsonObject();
        for (Map.Entry<String, JsonElement> member : new TreeMap<>(object.asMap()).entrySet()) {
          if (!member.getKey().equals("managedFields")) {
            result.add(member.getKey(), masked(member.getKey(), member.getValue()));
          }
        }
        yield result;
      }
      case JsonArray array -> {
        JsonArray result = new JsonArray();
        for (JsonElement element : array) {
          JsonElement masked = mask(element);
          if (!result.contains(masked)) { // an apiserver repeats causes
            result.add(masked);
          }
        }
        yield result;
      }
      default -> value;
    };
  }

  private static JsonElement masked(String name, JsonElement value) {
    boolean kept = !MADE_UP.contains(name) || value.toString().contains("None");
    return kept ? mask(value) : new JsonPrimitive("MADE UP");
  }

  @Override
  public String toString() {
    return "%s %s %s".formatted(method, path, body.length() > 100 ? body.substring(0, 100) : body);
  }
}
