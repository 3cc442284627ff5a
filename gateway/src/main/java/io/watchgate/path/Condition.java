package io.watchgate.path;

import com.google.gson.JsonElement;

/**
 * What somebody waits for, in the spirit of {@code kubectl wait}:
 *
 * <pre>
 * created                          an object is there
 * deleted                          an object is gone
 * condition=Ready                  the condition's status is True, and of the present generation
 * condition=Ready=False            ... is False
 * {.status.phase}                  the path leads to something
 * {.status.phase}=Running          one of its values, as text; also !=: none of them
 * {.status.readyReplicas}>=3       one of its values, as a number; also > < <=
 * </pre>
 */
public sealed interface Condition {

  /** An object is there. */
  record Created() implements Condition {}

  /** An object is gone. */
  record Deleted() implements Condition {}

  /** Something is true of an object. */
  sealed interface OfObject extends Condition permits StatusCondition, PathComparison {
    boolean metBy(JsonElement object);
  }

  /**
   * Reads a condition.
   *
   * @throws PathException where the text is none
   */
  static Condition parse(String text) throws PathException {
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
    // As kubectl wait has it.
    boolean prefixed = cursor.take("jsonpath=");
    if (!prefixed && cursor.peek() != '{') {
      throw cursor.wrong(
          "expected created, deleted, condition=TYPE or a path in braces, such as"
              + " {.status.phase}=Running");
    }
    return PathComparison.parse(cursor);
  }
}
