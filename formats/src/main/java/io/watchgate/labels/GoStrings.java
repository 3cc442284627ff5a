package io.watchgate.labels;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Order and quoting of strings in Go, which the apiserver's errors use. */
public final class GoStrings {
  /** Order in which Go sorts strings; Java's own order differs above U+FFFF. */
  public static final Comparator<String> ORDER =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private GoStrings() {}

  /**
   * Returns the text as Go prints it with {@code %q}: characters that are not printable are
   * escaped. Which characters are printable depends on the version of Unicode, and Java's may be
   * newer than the apiserver's.
   */
  public static String quote(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    text.codePoints().forEach(c -> append(quoted, c));
    return quoted.append('"').toString();
  }

  private static void append(StringBuilder quoted, int c) {
    switch (c) {
      case '"' -> quoted.append("\\\"");
      case '\\' -> quoted.append("\\\\");
      case 0x07 -> quoted.append("\\a");
      case '\b' -> quoted.append("\\b");
      case '\f' -> quoted.append("\\f");
      case '\n' -> quoted.append("\\n");
      case '\r' -> quoted.append("\\r");
      case '\t' -> quoted.append("\\t");
      case 0x0b -> quoted.append("\\v");
      default -> {
        if (isPrintable(c)) {
          quoted.appendCodePoint(c);
        } else if (c < ' ' || c == 0x7f) {
          quoted.append("\\x%02x".formatted(c));
        } else if (c < 0x10000) {
          quoted.append("\\u%04x".formatted(c));
        } else {
          quoted.append("\\U%08x".formatted(c));
        }
      }
    }
  }

  /**
   * Returns whether {@code strconv} prints the character: letters, marks, numbers, punctuation,
   * symbols and the ASCII space.
   */
  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.CONTROL,
          Character.FORMAT,
          Character.PRIVATE_USE,
          Character.SURROGATE ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }
}
