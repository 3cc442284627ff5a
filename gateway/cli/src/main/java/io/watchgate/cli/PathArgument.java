package io.watchgate.cli;

import io.watchgate.jsonpath.JsonPath;
import io.watchgate.jsonpath.JsonPathException;
import picocli.CommandLine.TypeConversionException;

/** Paths and templates on the command line, and the errors of their syntax. */
final class PathArgument {
  private PathArgument() {}

  /** Parser of a text with paths. */
  @FunctionalInterface
  interface Parser<T> {
    T parse(String text) throws JsonPathException;
  }

  /**
   * Parses a path, whose braces and first dot may be left out, as in kubectl.
   *
   * @param option place in the command line, for errors: {@code custom-columns, NODE, }; may be
   *     empty
   */
  static JsonPath path(String option, String text) {
    boolean isInBraces = text.startsWith("{") && text.endsWith("}");
    String path = isInBraces ? text.substring(1, text.length() - 1) : text;
    boolean beginsWithName = !path.isEmpty() && Character.isLetter(path.charAt(0));
    return parse(option, (beginsWithName ? "." : "") + path, JsonPath::parse);
  }

  /**
   * Parses a text. An error names the column, and shows it below the text.
   *
   * @throws TypeConversionException if the text is invalid
   */
  static <T> T parse(String option, String text, Parser<T> parser) {
    try {
      return parser.parse(text);
    } catch (JsonPathException e) {
      throw new TypeConversionException(
          option
              + "column "
              + e.column()
              + ": "
              + e.getMessage()
              + "\n"
              + ErrorCaret.below(text, e.column()));
    }
  }
}
