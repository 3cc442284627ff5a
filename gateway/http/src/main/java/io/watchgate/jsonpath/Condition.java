package io.watchgate.jsonpath;

import com.google.gson.JsonElement;

/**
 * Condition to wait for, in the spirit of {@code kubectl wait}:
 *
 * <pre>
 * created                          the object exists
 * deleted                          the object is deleted
 * condition=Ready                  the condition's status is True, and of the present generation
 * condition=Ready=False            ... is False
 * {.status.phase}                  the path leads to a value
 * {.status.phase}=Running          one of its values, as text; also !=: none of them
 * {.status.readyReplicas}>=3       one of its values, as a number; also > < <=
 * </pre>
 */
public sealed interface Condition {

  /** The object exists. */
  record Created() implements Condition {}

  /** The object is deleted. */
  record Deleted() implements Condition {}

  /** Condition on the content of an object. */
  sealed interface OfObject extends Condition permits StatusCondition, PathComparison {
    boolean isMetBy(JsonElement object);
  }

  /**
   * Parses a condition.
   *
   * @throws JsonPathException if the text is invalid
   */
  static Condition parse(String text) throws JsonPathException {
    if (text.equals("created")) {
      return new Created();
    }
    if (text.equals("deleted")) {
      return new Deleted();
    }
    TextCursor cursor = new TextCursor(text);
    if (cursor.take("condition=")) {
      return StatusCondition.parse(cursor);
    }
    // The prefix of kubectl wait.
    boolean prefixed = cursor.take("jsonpath=");
    if (!prefixed && cursor.peek() != '{') {
      throw cursor.wrong(
          "expected created, deleted, condition=TYPE or a path in braces, such as"
              + " {.status.phase}=Running");
    }
    return PathComparison.parse(cursor);
  }
}
