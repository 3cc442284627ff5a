package io.watchgate.jsonpath;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.List;

/** Comparison of the values of a path with a literal, or a test for their presence. */
record PathComparison(JsonPath path, Operator operator, String value)
    implements Condition.OfObject {
  private static final String OPERATOR_SIGNS = "=!<>";

  /** Longer operators come first, because a shorter one may be their prefix. */
  private enum Operator {
    EQUAL_AS_IN_JAVA("=="),
    UNEQUAL("!="),
    AT_LEAST(">="),
    AT_MOST("<="),
    EQUAL("="),
    MORE(">"),
    LESS("<"),
    PRESENT("");

    private final String text;

    Operator(String text) {
      this.text = text;
    }
  }

  static PathComparison parse(TextCursor cursor) throws JsonPathException {
    cursor.expect("{", "before the path");
    cursor.skipBlanks();
    JsonPath path = new JsonPathParser(cursor).path();
    cursor.skipBlanks();
    cursor.expect("}", "to end the path");
    for (Operator operator : Operator.values()) {
      if (operator != Operator.PRESENT && cursor.take(operator.text)) {
        return new PathComparison(path, operator, value(cursor, operator));
      }
    }
    if (!cursor.isAtEnd()) {
      throw cursor.wrong("expected =, !=, >, >=, < or <= after the path");
    }
    return new PathComparison(path, Operator.PRESENT, "");
  }

  private static String value(TextCursor cursor, Operator operator) throws JsonPathException {
    int start = cursor.column();
    if (OPERATOR_SIGNS.indexOf(cursor.peek()) >= 0) {
      throw doubtful(cursor, operator);
    }
    String value;
    if (cursor.peek() == '"' || cursor.peek() == '\'') {
      value = cursor.quoted();
      if (!cursor.isAtEnd()) {
        throw cursor.wrong("expected nothing after the value");
      }
    } else {
      value = cursor.rest();
    }
    boolean asText =
        switch (operator) {
          case EQUAL_AS_IN_JAVA, EQUAL, UNEQUAL, PRESENT -> true;
          case AT_LEAST, AT_MOST, MORE, LESS -> false;
        };
    if (!asText && !isNumber(value)) {
      throw new JsonPathException(
          start, "expected a number after " + operator.text + "; texts compare with = and !=");
    }
    return value;
  }

  /**
   * Returns the error for a value that begins with a sign of an operator. It is more often a
   * mistyped operator, such as {@code =>}, than a text.
   */
  private static JsonPathException doubtful(TextCursor cursor, Operator operator) {
    int start = cursor.column();
    String rest = cursor.rest();
    int signs = 0;
    while (signs < rest.length() && OPERATOR_SIGNS.indexOf(rest.charAt(signs)) >= 0) {
      signs++;
    }
    String typed = operator.text + rest.substring(0, signs);
    return new JsonPathException(
        start - operator.text.length(),
        "there is no operator "
            + typed
            + "; "
            + meant(typed).text
            + " may be meant. A text that begins with "
            + rest.charAt(0)
            + " is written in quotation marks");
  }

  private static Operator meant(String typed) {
    boolean isMore = typed.contains(">");
    boolean isLess = typed.contains("<");
    if (typed.contains("!") || (isMore && isLess)) {
      return Operator.UNEQUAL;
    }
    if (isMore) {
      return typed.contains("=") ? Operator.AT_LEAST : Operator.MORE;
    }
    if (isLess) {
      return typed.contains("=") ? Operator.AT_MOST : Operator.LESS;
    }
    return Operator.EQUAL;
  }

  private static boolean isNumber(String text) {
    try {
      new BigDecimal(text);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  @Override
  public boolean isMetBy(JsonElement object) {
    List<JsonElement> values = path.find(object);
    return switch (operator) {
      case PRESENT -> !values.isEmpty();
      case UNEQUAL ->
          !values.isEmpty()
              && values.stream().noneMatch(found -> JsonPath.text(found).equals(value));
      case EQUAL, EQUAL_AS_IN_JAVA ->
          values.stream().anyMatch(found -> JsonPath.text(found).equals(value));
      case AT_LEAST -> values.stream().anyMatch(found -> compares(found, 0, 1));
      case AT_MOST -> values.stream().anyMatch(found -> compares(found, 0, -1));
      case MORE -> values.stream().anyMatch(found -> compares(found, 1, 1));
      case LESS -> values.stream().anyMatch(found -> compares(found, -1, -1));
    };
  }

  /** Returns whether the comparison of a number with the value gives one of these two results. */
  private boolean compares(JsonElement found, int one, int other) {
    if (!(found instanceof JsonPrimitive number) || !number.isNumber()) {
      return false;
    }
    int order = number.getAsBigDecimal().compareTo(new BigDecimal(value));
    return order == one || order == other;
  }
}
