package io.watchgate.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;

/** Pattern of the events that a client prints. */
record StoryPattern(List<Step> steps) {
  StoryPattern {
    steps = List.copyOf(steps);
  }

  /** Part of a pattern. */
  sealed interface Step {
    /** Lines in any order; one line is a group of one. */
    record Group(List<String> lines) implements Step {}

    /** One line, once or more often. */
    record Repeated(String line) implements Step {}
  }

  /**
   * Reads an array: a text is a line, an array of texts is lines in any order, and {@code
   * {"repeated": LINE}} is a line that comes once or more often.
   */
  static StoryPattern read(JsonArray json) throws CaseFormatException {
    List<Step> steps = new ArrayList<>();
    for (JsonElement element : json) {
      switch (element) {
        case JsonPrimitive line -> steps.add(new Step.Group(List.of(line.getAsString())));
        case JsonArray lines ->
            steps.add(
                new Step.Group(lines.asList().stream().map(JsonElement::getAsString).toList()));
        case JsonObject object -> {
          CaseFields fields = new CaseFields(object, "story");
          fields.allow("repeated");
          steps.add(new Step.Repeated(fields.text("repeated", "")));
        }
        default -> throw new CaseFormatException("story has " + element);
      }
    }
    return new StoryPattern(steps);
  }

  /** Returns whether the lines are what the pattern says, and no more. */
  boolean matches(List<String> lines) {
    int at = 0;
    for (Step step : steps) {
      int before = at;
      switch (step) {
        case Step.Group(List<String> group) -> {
          List<String> missing = new ArrayList<>(group);
          while (!missing.isEmpty() && at < lines.size() && missing.remove(lines.get(at))) {
            at++;
          }
          if (!missing.isEmpty()) {
            return false;
          }
        }
        case Step.Repeated(String line) -> {
          while (at < lines.size() && lines.get(at).equals(line)) {
            at++;
          }
          if (at == before) {
            return false;
          }
        }
      }
    }
    return at == lines.size();
  }

  @Override
  public String toString() {
    return String.join(
        ", ",
        steps.stream()
            .map(
                step ->
                    switch (step) {
                      case Step.Group(List<String> lines) ->
                          lines.size() == 1
                              ? lines.getFirst()
                              : "in any order: " + String.join(", ", lines);
                      case Step.Repeated(String line) -> line + " once or more often";
                    })
            .toList());
  }
}
