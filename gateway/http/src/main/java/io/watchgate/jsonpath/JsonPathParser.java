package io.watchgate.jsonpath;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Parser of paths; the package has the grammar. Not thread-safe. */
final class JsonPathParser {
  private static final String NOT_IN_NAMES = " .[](){}'\"=!<>,?@$*|&~^";

  private final TextCursor cursor;

  JsonPathParser(TextCursor cursor) {
    this.cursor = cursor;
  }

  /** Parses the path at the cursor, and stops at the first character that does not belong to it. */
  JsonPath path() throws JsonPathException {
    int start = cursor.column();
    boolean rooted = cursor.take("$") || cursor.take("@");
    List<JsonPathStep> steps = new ArrayList<>();
    while (cursor.peek() == '.' || cursor.peek() == '[') {
      steps.add(cursor.take(".") ? afterDot() : inBrackets());
    }
    if (steps.isEmpty() && !rooted) {
      throw new JsonPathException(start, "expected a path, such as .metadata.name");
    }
    return new JsonPath(steps);
  }

  private JsonPathStep afterDot() throws JsonPathException {
    if (cursor.peek() == '.') {
      throw cursor.wrong("'..' (everything below) is not supported; name the way step by step");
    }
    if (cursor.take("*")) {
      return new JsonPathStep.Every();
    }
    // kubectl accepts {.['a']} and {.[0]} as well.
    if (cursor.peek() == '[') {
      return inBrackets();
    }
    StringBuilder name = new StringBuilder();
    while (!cursor.isAtEnd() && NOT_IN_NAMES.indexOf(cursor.peek()) < 0) {
      char c = cursor.next();
      if (c == '\\') {
        if (cursor.isAtEnd()) {
          throw cursor.wrong("expected a character after \\");
        }
        c = cursor.next();
      }
      name.append(c);
    }
    if (name.isEmpty()) {
      throw cursor.wrong("expected a name after '.'");
    }
    return new JsonPathStep.Member(name.toString());
  }

  private JsonPathStep inBrackets() throws JsonPathException {
    cursor.expect("[", "here");
    JsonPathStep step;
    if (cursor.take("*")) {
      step = new JsonPathStep.Every();
    } else if (cursor.peek() == '\'' || cursor.peek() == '"') {
      step = new JsonPathStep.Member(cursor.quoted());
    } else if (cursor.take("?(")) {
      step = filter();
      cursor.expect(")", "to end the filter");
    } else {
      step = new JsonPathStep.Element(index());
    }
    if (cursor.peek() == ',') {
      throw cursor.wrong("a union ([0,1]) is not supported; use [*] or several paths");
    }
    cursor.expect("]", "to end what began with '['");
    return step;
  }

  private int index() throws JsonPathException {
    int start = cursor.column();
    String digits = digits();
    if (cursor.peek() == ':') {
      throw cursor.wrong("a slice ([0:2]) is not supported; use [*] or single elements");
    }
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw new JsonPathException(
          start, "expected an index, *, a filter ?(...) or a name in quotation marks after '['");
    }
  }

  private JsonPathStep filter() throws JsonPathException {
    cursor.skipBlanks();
    if (cursor.peek() != '@') {
      throw cursor.wrong("a filter begins with '@', such as ?(@.type==\"Ready\")");
    }
    JsonPath path = path();
    cursor.skipBlanks();
    JsonPathStep.Wanted wanted;
    if (cursor.take("==")) {
      wanted = new JsonPathStep.Wanted.Equal(literal());
    } else if (cursor.take("!=")) {
      wanted = new JsonPathStep.Wanted.Unequal(literal());
    } else if (cursor.peek() == ')') {
      wanted = new JsonPathStep.Wanted.Any();
    } else {
      throw cursor.wrong("a filter compares with == or !=, or ends with ')'");
    }
    cursor.skipBlanks();
    return new JsonPathStep.Filter(path, wanted);
  }

  private JsonElement literal() throws JsonPathException {
    cursor.skipBlanks();
    if (cursor.peek() == '\'' || cursor.peek() == '"') {
      return new JsonPrimitive(cursor.quoted());
    }
    if (cursor.take("true")) {
      return new JsonPrimitive(true);
    }
    if (cursor.take("false")) {
      return new JsonPrimitive(false);
    }
    int start = cursor.column();
    String digits = digits();
    if (cursor.peek() == '.') {
      cursor.next();
      digits += "." + digits();
    }
    try {
      return new JsonPrimitive(new BigDecimal(digits));
    } catch (NumberFormatException e) {
      throw new JsonPathException(
          start, "expected a text in quotation marks, a number, true or false to compare with");
    }
  }

  private String digits() {
    StringBuilder digits = new StringBuilder();
    if (cursor.peek() == '-') {
      digits.append(cursor.next());
    }
    while (cursor.peek() >= '0' && cursor.peek() <= '9') {
      digits.append(cursor.next());
    }
    return digits.toString();
  }
}
