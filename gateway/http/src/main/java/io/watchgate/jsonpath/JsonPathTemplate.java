package io.watchgate.jsonpath;

import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Text with paths in braces: {@code {.metadata.name}: {.status.phase}}. Braces may also contain a
 * text in quotation marks, {@code {"\n"}}. A template that is only a path needs no braces.
 */
public final class JsonPathTemplate {
  private final List<Part> parts;

  private JsonPathTemplate(List<Part> parts) {
    this.parts = List.copyOf(parts);
  }

  private sealed interface Part {
    record Text(String text) implements Part {}

    record Values(JsonPath path) implements Part {}
  }

  /**
   * Parses a template.
   *
   * @throws JsonPathException if the text is invalid
   */
  public static JsonPathTemplate parse(String text) throws JsonPathException {
    TextCursor cursor = new TextCursor(text);
    if (cursor.peek() == '.' || cursor.peek() == '$') {
      JsonPath path = new JsonPathParser(cursor).path();
      if (!cursor.isAtEnd()) {
        throw cursor.wrong("the path ends here; put paths in braces to mix them with text: {.a} b");
      }
      return new JsonPathTemplate(List.of(new Part.Values(path)));
    }
    List<Part> parts = new ArrayList<>();
    boolean anyBrace = false;
    while (!cursor.isAtEnd()) {
      if (cursor.take("{")) {
        parts.add(inBraces(cursor));
        anyBrace = true;
      } else {
        parts.add(plain(cursor));
      }
    }
    if (!anyBrace) {
      throw new JsonPathException(1, "expected a path in braces, such as {.metadata.name}");
    }
    return new JsonPathTemplate(parts);
  }

  /** Returns whether one of its paths begins with this member of an object. */
  public boolean beginsWith(String member) {
    return parts.stream()
        .anyMatch(
            part ->
                part instanceof Part.Values(JsonPath path)
                    && !path.steps().isEmpty()
                    && path.steps().getFirst() instanceof JsonPathStep.Member(String name)
                    && name.equals(member));
  }

  private static Part plain(TextCursor cursor) throws JsonPathException {
    StringBuilder text = new StringBuilder();
    while (!cursor.isAtEnd() && cursor.peek() != '{') {
      if (cursor.peek() == '}') {
        throw cursor.wrong("this brace was never opened; as a text it is {\"}\"}");
      }
      text.append(cursor.next());
    }
    return new Part.Text(text.toString());
  }

  private static Part inBraces(TextCursor cursor) throws JsonPathException {
    cursor.skipBlanks();
    if (cursor.isAt("range") || cursor.isAt("end")) {
      throw cursor.wrong(
          "range and end are not supported: the template is applied to each object by itself;"
              + " {.metadata.name} prints a line for each, {.spec.containers[*].name} all values"
              + " of one");
    }
    char first = cursor.peek();
    Part part =
        first == '"' || first == '\''
            ? new Part.Text(cursor.quoted())
            : new Part.Values(new JsonPathParser(cursor).path());
    cursor.skipBlanks();
    cursor.expect("}", "to end what began with '{'");
    return part;
  }

  /**
   * Returns the text with the values of the paths; several values of one path are separated by a
   * space.
   */
  public String apply(JsonElement document) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      switch (part) {
        case Part.Text(String plain) -> text.append(plain);
        case Part.Values(JsonPath path) ->
            text.append(
                path.find(document).stream().map(JsonPath::text).collect(Collectors.joining(" ")));
      }
    }
    return text.toString();
  }
}
