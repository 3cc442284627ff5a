package io.watchgate.cli.output;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Locale;
import java.util.Set;

/**
 * Converter of JSON to block YAML, for people and for parsers of YAML 1.1 and 1.2 alike. Text is
 * unquoted only if no version could read it as anything else. Numbers keep their digits.
 *
 * <p>Rejected: the emitter of snakeyaml-engine. It leaves {@code off}, {@code -c} and dates
 * unquoted, writes control characters as {@code \e} and {@code \N}, and keys longer than 128
 * characters as {@code ? KEY}; with its styles set from outside, most of this class would remain.
 */
public final class YamlText {
  /** Words that YAML 1.1 or 1.2 reads as a boolean, null or number, in lower case. */
  private static final Set<String> WORDS =
      Set.of("true", "false", "yes", "no", "on", "off", "y", "n", "null");

  private YamlText() {}

  static void append(StringBuilder text, JsonElement value) {
    switch (value) {
      case JsonObject object when !object.isEmpty() -> appendMembers(text, object, 0);
      case JsonArray array when !array.isEmpty() -> appendElements(text, array, 0);
      default -> text.append(scalar(value, 2)).append('\n');
    }
  }

  private static void appendMembers(StringBuilder text, JsonObject object, int indent) {
    boolean first = true;
    for (var member : object.entrySet()) {
      // The first member follows "- " or its indentation on the same line.
      text.repeat(' ', first ? 0 : indent);
      appendMember(text, member.getKey(), member.getValue(), indent);
      first = false;
    }
  }

  static void appendMember(StringBuilder text, String name, JsonElement value, int indent) {
    text.append(scalar(name)).append(':');
    switch (value) {
      case JsonObject object when !object.isEmpty() -> {
        text.append('\n').repeat(' ', indent + 2);
        appendMembers(text, object, indent + 2);
      }
      case JsonArray array when !array.isEmpty() -> {
        text.append('\n').repeat(' ', indent);
        appendElements(text, array, indent);
      }
      default -> text.append(' ').append(scalar(value, indent + 2)).append('\n');
    }
  }

  private static void appendElements(StringBuilder text, JsonArray array, int indent) {
    boolean first = true;
    for (JsonElement element : array) {
      text.repeat(' ', first ? 0 : indent).append("- ");
      first = false;
      switch (element) {
        case JsonObject object when !object.isEmpty() -> appendMembers(text, object, indent + 2);
        case JsonArray inner when !inner.isEmpty() -> appendElements(text, inner, indent + 2);
        default -> text.append(scalar(element, indent + 2)).append('\n');
      }
    }
  }

  private static String scalar(JsonElement value, int indent) {
    if (!(value instanceof JsonPrimitive primitive) || !primitive.isString()) {
      return value.toString();
    }
    String text = primitive.getAsString();
    if (isPlain(text)) {
      return text;
    }
    return isBlock(text) ? block(text, indent) : quoted(text);
  }

  /**
   * Returns one line of text as a scalar: quoted, if any version could read it as anything else.
   */
  public static String scalar(String text) {
    return isPlain(text) ? text : quoted(text);
  }

  /**
   * Returns whether text can be unquoted: a letter or slash first, then letters, digits and
   * characters without a meaning in YAML.
   */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean later = (c >= '0' && c <= '9') || "._/-+@".indexOf(c) >= 0;
      boolean inside = (c == ' ' || c == ':') && isPlainAfter(text, i);
      if (!(letter || (i == 0 ? c == '/' : later || inside))) {
        return false;
      }
    }
    return !text.isEmpty() && !WORDS.contains(text.toLowerCase(Locale.ROOT));
  }

  /**
   * Returns whether a colon or space has no meaning here: it has one only at the end and before a
   * space.
   */
  private static boolean isPlainAfter(String text, int at) {
    return at + 1 < text.length() && text.charAt(at + 1) != ' ';
  }

  /** Returns whether a literal block reproduces the lines exactly. */
  private static boolean isBlock(String text) {
    if (text.indexOf('\n') < 0 || " \t\n".indexOf(text.charAt(0)) >= 0) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean unprintable =
          (c != '\n' && c != '\t' && TerminalEscaper.isControl(c))
              || c == '\u2028'
              || c == '\u2029'
              || c == '\ufeff'
              || c >= '\ufffe'
              || Character.isSurrogate(c);
      boolean blankLineOfBlanks =
          (c == ' ' || c == '\t') && (i + 1 == text.length() || text.charAt(i + 1) == '\n');
      if (unprintable || blankLineOfBlanks) {
        return false;
      }
    }
    return true;
  }

  private static String block(String text, int indent) {
    boolean ended = text.endsWith("\n");
    StringBuilder block = new StringBuilder(ended ? (text.endsWith("\n\n") ? "|+" : "|") : "|-");
    String lines = ended ? text.substring(0, text.length() - 1) : text;
    for (String line : lines.split("\n", -1)) {
      block.append('\n').repeat(' ', line.isEmpty() ? 0 : indent).append(line);
    }
    return block.toString();
  }

  /** Returns the text in YAML's double quotes, which support the escapes of JSON. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        case '\r' -> quoted.append("\\r");
        default -> {
          if (TerminalEscaper.isControl(c) || c == '\u2028' || c == '\u2029' || c >= '\ufeff') {
            quoted.append("\\u").append(TerminalEscaper.hex(c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
