package io.watchgate.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Expected output and end of a client.
 *
 * @param state expected objects by namespace and name
 * @param errors fields that the last errors must have, in order
 * @param exitCode exit code, if the client has to end by itself
 * @param stderr texts, each in a line on stderr
 */
record Expectation(
    StoryPattern story,
    Optional<Map<String, JsonElement>> state,
    List<JsonObject> errors,
    OptionalInt exitCode,
    List<String> stderr) {
  static Expectation read(CaseFields fields) throws CaseFormatException {
    JsonObject json = fields.object();
    return new Expectation(
        StoryPattern.read(fields.array("story")),
        json.has("state") ? Optional.of(fields.object("state").asMap()) : Optional.empty(),
        errors(fields),
        json.has("exitCode")
            ? OptionalInt.of(json.get("exitCode").getAsInt())
            : OptionalInt.empty(),
        fields.texts("stderr"));
  }

  private static List<JsonObject> errors(CaseFields fields) throws CaseFormatException {
    if (fields.object().get("error") instanceof JsonObject last) {
      return List.of(last);
    }
    List<JsonObject> errors = new ArrayList<>();
    for (JsonElement error : fields.array("error")) {
      errors.add(CaseFields.asObject(error, "error"));
    }
    return List.copyOf(errors);
  }

  /** Returns what a client printed other than expected; empty if it is as expected. */
  List<String> differences(ClientOutput printed) {
    List<String> differences = new ArrayList<>(printed.malformed());
    if (!story.matches(printed.story())) {
      differences.add("printed %s; expected %s".formatted(printed.story(), story));
    }
    state.ifPresent(expected -> compareState(expected, printed.state(), differences));
    compareErrors(printed.errors(), differences);
    for (String text : stderr) {
      if (printed.stderr().stream().noneMatch(line -> line.contains(text))) {
        differences.add("no line on stderr has \"%s\": %s".formatted(text, printed.stderr()));
      }
    }
    return differences;
  }

  private void compareErrors(List<JsonElement> printed, List<String> differences) {
    int earlier = printed.size() - errors.size();
    if (earlier < 0) {
      differences.add("%d errors were printed; expected %s".formatted(printed.size(), errors));
      return;
    }
    for (int i = 0; i < errors.size(); i++) {
      JsonElement error = printed.get(earlier + i);
      if (!CaseText.includes(error, errors.get(i))) {
        differences.add("an error is %s; it must have %s".formatted(error, errors.get(i)));
      }
    }
  }

  private static void compareState(
      Map<String, JsonElement> expected, Map<String, JsonElement> held, List<String> differences) {
    for (String key : new TreeMap<>(held).keySet()) {
      if (!expected.containsKey(key)) {
        differences.add("the state has " + key + ", which is to be gone");
      }
    }
    expected.forEach(
        (key, value) -> {
          JsonElement other = held.get(key);
          if (other == null || !CaseText.areEqual(other, value)) {
            differences.add("%s is %s; expected %s".formatted(key, shorten(other), shorten(value)));
          }
        });
  }

  private static String shorten(@Nullable JsonElement value) {
    String text = String.valueOf(value);
    return text.length() <= 300 ? text : text.substring(0, 300) + "…";
  }
}
