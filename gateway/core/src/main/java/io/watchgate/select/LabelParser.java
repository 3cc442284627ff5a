package io.watchgate.select;

import io.watchgate.select.LabelRequirement.Operator;
import io.watchgate.select.LabelToken.Kind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Parser of label selectors that makes the same decisions in the same order as {@code
 * labels.Parse}, so that the first error and its text are the same. For one use.
 */
final class LabelParser {
  private final SelectorErrors source;
  private final List<LabelToken> tokens;
  private int next;
  private int values;

  LabelParser(SelectorErrors source) throws SelectionException {
    this.source = source;
    int nul = source.text().indexOf('\0');
    if (nul >= 0) {
      throw source.invalid(nul, "the character U+0000 cannot be part of a selector; remove it");
    }
    this.tokens = LabelToken.scan(source.text());
  }

  List<LabelRequirement> parse() throws SelectionException {
    List<LabelRequirement> requirements = new ArrayList<>();
    if (peek().kind() != Kind.END && peek().kind() != Kind.WORD && peek().kind() != Kind.NOT) {
      throw found(peek(), ", expected: !, identifier, or 'end of string'");
    }
    while (peek().kind() != Kind.END) {
      requirements.add(requirement());
      LabelToken separator = take();
      source.limit(
          separator.at(), "requirements", requirements.size(), CompiledSelection.MAX_REQUIREMENTS);
      source.limit(separator.at(), "values", values, CompiledSelection.MAX_VALUES);
      switch (separator.kind()) {
        case END -> {
          return requirements;
        }
        case COMMA -> {
          if (peek().kind() != Kind.WORD && peek().kind() != Kind.NOT) {
            throw found(peek(), ", expected: identifier after ','");
          }
        }
        default -> throw found(separator, ", expected: ',' or 'end of string'");
      }
    }
    return requirements;
  }

  private LabelRequirement requirement() throws SelectionException {
    boolean negated = peek().kind() == Kind.NOT;
    if (negated) {
      take();
    }
    LabelToken key = take();
    if (key.kind() != Kind.WORD) {
      throw foundIn(key, ", expected: identifier");
    }
    String wrong = LabelSyntax.keyError(key.text());
    if (!wrong.isEmpty()) {
      // The apiserver prints the path of the key, which is nil here.
      throw inRequirement(key.at(), invalidValue("<nil>", key.text(), wrong));
    }
    if (negated) {
      return new LabelRequirement(key.text(), Operator.ABSENT, List.of());
    }
    if (peek().kind() == Kind.END || peek().kind() == Kind.COMMA) {
      return new LabelRequirement(key.text(), Operator.EXISTS, List.of());
    }
    LabelToken sign = take();
    Operator operator = operator(sign);
    SortedMap<String, Integer> wanted = sign.kind() == Kind.WORD ? list() : single();
    check(key.text(), operator, wanted);
    values += wanted.size();
    return new LabelRequirement(
        key.text(),
        operator,
        switch (operator) {
          case GREATER, LESS -> List.of(new BigInteger(wanted.firstKey()).toString());
          case IN, NOT_IN, EXISTS, ABSENT -> List.copyOf(wanted.keySet());
        });
  }

  private Operator operator(LabelToken sign) throws SelectionException {
    return switch (sign.kind()) {
      case EQUALS, DOUBLE_EQUALS -> Operator.IN;
      case NOT_EQUALS -> Operator.NOT_IN;
      case GREATER -> Operator.GREATER;
      case LESS -> Operator.LESS;
      case WORD ->
          switch (sign.text()) {
            case "in" -> Operator.IN;
            case "notin" -> Operator.NOT_IN;
            default -> throw noOperator(sign);
          };
      case NOT, OPEN, CLOSE, COMMA, END -> throw noOperator(sign);
    };
  }

  private SelectionException noOperator(LabelToken sign) {
    return foundIn(sign, ", expected: in, notin, =, ==, !=, gt, lt");
  }

  /** Parses the value after a comparison, with its index; a missing value is the empty value. */
  private SortedMap<String, Integer> single() throws SelectionException {
    SortedMap<String, Integer> result = new TreeMap<>(SelectorErrors.ORDER);
    LabelToken value = peek();
    if (value.kind() == Kind.END || value.kind() == Kind.COMMA) {
      result.put("", value.at());
      return result;
    }
    take();
    if (value.kind() != Kind.WORD) {
      throw foundIn(value, ", expected: identifier");
    }
    result.put(value.text(), value.at());
    return result;
  }

  /**
   * Parses the values in parentheses, each with its index; nothing between two commas is the empty
   * value.
   */
  private SortedMap<String, Integer> list() throws SelectionException {
    SortedMap<String, Integer> result = new TreeMap<>(SelectorErrors.ORDER);
    LabelToken open = take();
    if (open.kind() != Kind.OPEN) {
      throw foundIn(open, " expected: '('");
    }
    LabelToken first = peek();
    switch (first.kind()) {
      case CLOSE -> {
        take();
        result.put("", first.at());
        return result;
      }
      case WORD, COMMA -> {}
      default -> throw foundIn(first, ", expected: ',', ')' or identifier");
    }
    while (true) {
      LabelToken token = take();
      LabelToken after = peek();
      switch (token.kind()) {
        case WORD -> {
          result.putIfAbsent(token.text(), token.at());
          if (after.kind() != Kind.COMMA && after.kind() != Kind.CLOSE) {
            throw foundIn(after, ", expected: ',' or ')'");
          }
        }
        case COMMA -> {
          if (result.isEmpty() || after.kind() == Kind.CLOSE || after.kind() == Kind.COMMA) {
            result.putIfAbsent("", token.at());
          }
        }
        default -> throw foundIn(token, ", expected: ',', or identifier");
      }
      if (after.kind() == Kind.CLOSE) {
        take();
        return result;
      }
    }
  }

  private void check(String key, Operator operator, SortedMap<String, Integer> wanted)
      throws SelectionException {
    boolean number = operator == Operator.GREATER || operator == Operator.LESS;
    Set<String> problems = new LinkedHashSet<>();
    int at = -1;
    int index = 0;
    for (var value : wanted.entrySet()) {
      String text = value.getKey();
      String path = "values[" + index++ + "]";
      if (number && !int64(text)) {
        problems.add(
            invalidValue(path, text, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      String wrong = LabelSyntax.valueError(text);
      if (!wrong.isEmpty()) {
        problems.add(invalidValue(path + "[" + key + "]", text, wrong));
      }
      if (at < 0 && !problems.isEmpty()) {
        at = value.getValue();
      }
    }
    if (!problems.isEmpty()) {
      String all = String.join(", ", problems);
      throw inRequirement(at, problems.size() == 1 ? all : "[" + all + "]");
    }
  }

  private static boolean int64(String text) {
    String digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
    return !digits.isEmpty()
        && digits.chars().allMatch(c -> c >= '0' && c <= '9')
        && new BigInteger(text).bitLength() <= 63;
  }

  private static String invalidValue(String path, String value, String wrong) {
    return path + ": Invalid value: " + GoQuote.of(value) + ": " + wrong;
  }

  private SelectionException found(LabelToken token, String expected) {
    return source.invalid(token.at(), "found '" + token.text() + "'" + expected);
  }

  private SelectionException foundIn(LabelToken token, String expected) {
    return inRequirement(token.at(), "found '" + token.text() + "'" + expected);
  }

  private SelectionException inRequirement(int at, String message) {
    return source.invalid(at, "unable to parse requirement: " + message);
  }

  private LabelToken peek() {
    return tokens.get(next);
  }

  /** Returns the next token. After the end it returns the end again. */
  private LabelToken take() {
    LabelToken token = tokens.get(next);
    if (token.kind() != Kind.END) {
      next++;
    }
    return token;
  }
}
