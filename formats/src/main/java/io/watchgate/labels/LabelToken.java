package io.watchgate.labels;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Token of a label selector.
 *
 * @param text text of the token; empty at the end
 * @param at index of its first char
 */
record LabelToken(Kind kind, String text, int at) {

  enum Kind {
    /** A key or a value, {@code in} and {@code notin} included: the parser distinguishes them. */
    WORD,
    EQUALS,
    DOUBLE_EQUALS,
    NOT_EQUALS,
    NOT,
    GREATER,
    LESS,
    OPEN,
    CLOSE,
    COMMA,
    END
  }

  /** Returns all tokens of a selector, the last one of kind {@link Kind#END}. */
  static List<LabelToken> scan(String text) {
    List<LabelToken> tokens = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (isSpace(text.charAt(at))) {
        at++;
        continue;
      }
      LabelToken token = symbol(text, at);
      if (token == null) {
        token = word(text, at);
      }
      tokens.add(token);
      at += token.text.length();
    }
    tokens.add(new LabelToken(Kind.END, "", text.length()));
    return tokens;
  }

  private static @Nullable LabelToken symbol(String text, int at) {
    boolean equalsNext = text.startsWith("=", at + 1);
    return switch (text.charAt(at)) {
      case '=' ->
          equalsNext
              ? new LabelToken(Kind.DOUBLE_EQUALS, "==", at)
              : new LabelToken(Kind.EQUALS, "=", at);
      case '!' ->
          equalsNext
              ? new LabelToken(Kind.NOT_EQUALS, "!=", at)
              : new LabelToken(Kind.NOT, "!", at);
      case '>' -> new LabelToken(Kind.GREATER, ">", at);
      case '<' -> new LabelToken(Kind.LESS, "<", at);
      case '(' -> new LabelToken(Kind.OPEN, "(", at);
      case ')' -> new LabelToken(Kind.CLOSE, ")", at);
      case ',' -> new LabelToken(Kind.COMMA, ",", at);
      default -> null;
    };
  }

  private static LabelToken word(String text, int at) {
    int end = at + 1;
    while (end < text.length()
        && !isSpace(text.charAt(end))
        && "=!><(),".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return new LabelToken(Kind.WORD, text.substring(at, end), at);
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }
}
