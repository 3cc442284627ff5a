package io.watchgate.cli.output;

/**
 * Escaper that makes external text harmless for a terminal. It escapes control characters, with
 * which escape sequences begin, and characters that reverse the direction of the text.
 */
public final class TerminalEscaper {
  private TerminalEscaper() {}

  /** Returns the text in one line, with {@code \n}, {@code \t}, {@code \}{@code u001b}. */
  public static String inLine(String text) {
    return escape(text, "");
  }

  /** Returns the text with its line ends and tabs unchanged. */
  public static String inLines(String text) {
    return escape(text, "\n\t");
  }

  private static String escape(String text, String harmless) {
    for (int i = 0; i < text.length(); i++) {
      if (isHarmful(text.charAt(i), harmless)) {
        return escaped(text, harmless);
      }
    }
    return text;
  }

  private static String escaped(String text, String harmless) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isHarmful(c, harmless)) {
        escaped.append(c);
      } else if (c == '\n') {
        escaped.append("\\n");
      } else if (c == '\t') {
        escaped.append("\\t");
      } else if (c == '\r') {
        escaped.append("\\r");
      } else {
        escaped.append("\\u").append(hex(c));
      }
    }
    return escaped.toString();
  }

  static boolean isControl(char c) {
    return c < 0x20
        || (c >= 0x7f && c <= 0x9f)
        || (c >= 0x202a && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }

  private static boolean isHarmful(char c, String harmless) {
    return isControl(c) && harmless.indexOf(c) < 0;
  }

  /** Returns four hexadecimal digits. */
  static String hex(char c) {
    String digits = Integer.toHexString(c);
    return "0".repeat(4 - digits.length()) + digits;
  }
}
