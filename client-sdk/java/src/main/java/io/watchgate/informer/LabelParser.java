package io.watchgate.informer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parser of a label selector, token by token. It accepts exactly what the apiserver accepts, even
 * odd texts: {@code in} is a key at the position of a key, and between two commas is the empty
 * value. For one use.
 */
final class LabelParser {
  private static final String SPACES = " \t\r\n";
  private static final String SIGNS = "=!><(),";

  private final String text;

  /** Start of the current token; an empty token is the end of the text. */
  private int from;

  private int to;

  LabelParser(String text) {
    this.text = text;
    advance();
  }

  List<LabelRequirement> parse() {
    List<LabelRequirement> requirements = new ArrayList<>();
    if (isEnd()) {
      return List.of();
    }
    while (true) {
      requirements.add(requirement());
      if (isEnd()) {
        return List.copyOf(requirements);
      }
      if (!took(",")) {
        throw expected("',' or the end");
      }
    }
  }

  private LabelRequirement requirement() {
    boolean isNegated = took("!");
    if (!isWord()) {
      throw expected(isNegated ? "a key" : "a key or '!'");
    }
    String key = piece();
    if (!LabelSyntax.isKey(key)) {
      throw wrong(from, "'" + key + "' is no key of a label, which is " + LabelSyntax.KEY);
    }
    advance();
    if (isNegated) {
      return new LabelRequirement.Absent(key);
    }
    if (isEnd() || is(",")) {
      return new LabelRequirement.Present(key);
    }
    String sign = piece();
    int at = from;
    advance();
    return switch (sign) {
      case "=", "==" -> new LabelRequirement.In(key, values(one()));
      case "!=" -> new LabelRequirement.NotIn(key, values(one()));
      case "in" -> new LabelRequirement.In(key, values(several()));
      case "notin" -> new LabelRequirement.NotIn(key, values(several()));
      case ">" -> new LabelRequirement.Above(key, bound(one()));
      case "<" -> new LabelRequirement.Below(key, bound(one()));
      default -> throw expected("=, ==, !=, in, notin, < or >", at, sign);
    };
  }

  /** Parses one value and its column; a missing value is the empty value. */
  private Map<String, Integer> one() {
    if (isEnd() || is(",")) {
      return Map.of("", from);
    }
    if (!isWord()) {
      throw expected("a value");
    }
    Map<String, Integer> value = Map.of(piece(), from);
    advance();
    return value;
  }

  /**
   * Parses values in parentheses with their columns; a missing value beside a comma is the empty
   * value.
   */
  private Map<String, Integer> several() {
    if (!took("(")) {
      throw expected("'('");
    }
    Map<String, Integer> values = new LinkedHashMap<>();
    boolean isBesideComma = true;
    while (!is(")")) {
      if (is(",")) {
        if (isBesideComma) {
          values.putIfAbsent("", from);
        }
        isBesideComma = true;
      } else if (isWord() && isBesideComma) {
        values.putIfAbsent(piece(), from);
        isBesideComma = false;
      } else {
        throw expected(isBesideComma ? "a value, ',' or ')'" : "',' or ')'");
      }
      advance();
    }
    if (isBesideComma) {
      values.putIfAbsent("", from);
    }
    advance();
    return values;
  }

  private Set<String> values(Map<String, Integer> placed) {
    placed.forEach(
        (value, at) -> {
          if (!LabelSyntax.isValue(value)) {
            throw wrong(
                at, "'" + value + "' is no value of a label, which is " + LabelSyntax.VALUE);
          }
        });
    return Set.copyOf(placed.keySet());
  }

  private long bound(Map<String, Integer> placed) {
    String value = values(placed).iterator().next();
    long bound = LabelRequirement.number(value);
    if (bound == LabelRequirement.NO_NUMBER) {
      throw wrong(
          placed.getOrDefault(value, from), "'" + value + "' is no whole number to compare with");
    }
    return bound;
  }

  // ---- tokens

  private void advance() {
    from = to;
    while (from < text.length() && SPACES.indexOf(text.charAt(from)) >= 0) {
      from++;
    }
    to = from;
    if (isSign(from)) {
      boolean isLong = "=!".indexOf(text.charAt(from)) >= 0 && text.startsWith("=", from + 1);
      to += isLong ? 2 : 1;
    } else {
      while (to < text.length() && !isSign(to) && SPACES.indexOf(text.charAt(to)) < 0) {
        to++;
      }
    }
  }

  private boolean isSign(int at) {
    return at < text.length() && SIGNS.indexOf(text.charAt(at)) >= 0;
  }

  private String piece() {
    return text.substring(from, to);
  }

  private boolean is(String piece) {
    return to - from == piece.length() && text.startsWith(piece, from);
  }

  private boolean isEnd() {
    return from == to;
  }

  private boolean isWord() {
    return !isEnd() && !isSign(from);
  }

  private boolean took(String piece) {
    boolean isHere = is(piece);
    if (isHere) {
      advance();
    }
    return isHere;
  }

  // ---- errors

  private IllegalArgumentException expected(String what) {
    return expected(what, from, piece());
  }

  private IllegalArgumentException expected(String what, int at, String found) {
    return wrong(
        at, "expected " + what + ", found " + (found.isEmpty() ? "the end" : "'" + found + "'"));
  }

  private IllegalArgumentException wrong(int at, String what) {
    return new IllegalArgumentException(
        "label selector, column %d: %s; it is: %s"
            .formatted(text.codePointCount(0, at) + 1, what, text));
  }
}
