package io.watchgate.labels;

import io.watchgate.labels.LabelRequirement.Operator;
import io.watchgate.labels.LabelToken.Kind;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Parser of label selectors that makes the same decisions in the same order as {@code
 * labels.Parse}, so that the first error and its text are the same. For one use.
 */
public final class LabelSelectorParser {
  private static final String KEY_RULE =
      "NAME or DNS.NAME/NAME, of letters, digits, '-', '_' and '.', with a letter or digit first"
          + " and last, at most 63 behind the slash";
  private static final String VALUE_RULE =
      "empty, or at most 63 letters, digits, '-', '_' and '.', with a letter or digit first and"
          + " last";

  private static final String IN_REQUIREMENT = "unable to parse requirement: ";
  private static final String MIN_INT64 = Long.toString(Long.MIN_VALUE);

  private final List<LabelToken> tokens;
  private int next;
  private boolean isFirst = true;

  public LabelSelectorParser(String text) {
    this.tokens = LabelToken.scan(text);
  }

  /** Returns the next requirement; null after the last one. */
  public @Nullable LabelRequirement next() throws LabelSelectorException {
    if (isFirst) {
      isFirst = false;
      if (peek().kind() == Kind.END) {
        return null;
      }
      if (!startsRequirement(peek())) {
        throw found(peek(), ", expected: !, identifier, or 'end of string'", "a key or '!'");
      }
      return requirement();
    }
    LabelToken separator = take();
    if (separator.kind() == Kind.END) {
      return null;
    }
    if (separator.kind() != Kind.COMMA) {
      throw found(separator, ", expected: ',' or 'end of string'", "',' or the end");
    }
    if (!startsRequirement(peek())) {
      throw found(peek(), ", expected: identifier after ','", "a key or '!'");
    }
    return requirement();
  }

  /** Returns the index of the first char that is not parsed, white space excepted. */
  public int index() {
    return peek().at();
  }

  private static boolean startsRequirement(LabelToken token) {
    return token.kind() == Kind.WORD || token.kind() == Kind.NOT;
  }

  private LabelRequirement requirement() throws LabelSelectorException {
    boolean negated = peek().kind() == Kind.NOT;
    if (negated) {
      take();
    }
    LabelToken key = take();
    if (key.kind() != Kind.WORD) {
      throw foundIn(key, ", expected: identifier", "a key");
    }
    String wrong = LabelSyntax.keyError(key.text());
    if (!wrong.isEmpty()) {
      // The apiserver prints the path of the key, which is nil here.
      throw new LabelSelectorException(
          key.at(),
          "'" + key.text() + "' is no key of a label, which is " + KEY_RULE,
          key.at(),
          IN_REQUIREMENT + invalidValue("<nil>", key.text(), wrong));
    }
    if (negated) {
      return new LabelRequirement(key.text(), Operator.ABSENT, List.of());
    }
    if (peek().kind() == Kind.END || peek().kind() == Kind.COMMA) {
      return new LabelRequirement(key.text(), Operator.EXISTS, List.of());
    }
    LabelToken sign = take();
    Operator operator = operator(sign);
    Map<String, Integer> wanted = sign.kind() == Kind.WORD ? list() : single();
    check(key.text(), operator, wanted);
    return new LabelRequirement(
        key.text(),
        operator,
        switch (operator) {
          case GREATER, LESS ->
              List.of(Long.toString(LabelRequirement.number(wanted.keySet().iterator().next())));
          case IN, NOT_IN, EXISTS, ABSENT ->
              wanted.keySet().stream().sorted(GoStrings.ORDER).toList();
        });
  }

  private static Operator operator(LabelToken sign) throws LabelSelectorException {
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

  private static LabelSelectorException noOperator(LabelToken sign) {
    return foundIn(
        sign, ", expected: in, notin, =, ==, !=, gt, lt", "=, ==, !=, in, notin, < or >");
  }

  /** Parses the value after a comparison, with its index; a missing value is the empty value. */
  private Map<String, Integer> single() throws LabelSelectorException {
    Map<String, Integer> result = new LinkedHashMap<>();
    LabelToken value = peek();
    if (value.kind() == Kind.END || value.kind() == Kind.COMMA) {
      result.put("", value.at());
      return result;
    }
    take();
    if (value.kind() != Kind.WORD) {
      throw foundIn(value, ", expected: identifier", "a value");
    }
    result.put(value.text(), value.at());
    return result;
  }

  /**
   * Parses the values in parentheses, each with its index; nothing between two commas is the empty
   * value.
   */
  private Map<String, Integer> list() throws LabelSelectorException {
    Map<String, Integer> result = new LinkedHashMap<>();
    LabelToken open = take();
    if (open.kind() != Kind.OPEN) {
      throw foundIn(open, " expected: '('", "'('");
    }
    LabelToken first = peek();
    switch (first.kind()) {
      case CLOSE -> {
        take();
        result.put("", first.at());
        return result;
      }
      case WORD, COMMA -> {}
      default -> throw foundIn(first, ", expected: ',', ')' or identifier", "a value, ',' or ')'");
    }
    while (true) {
      LabelToken token = take();
      LabelToken after = peek();
      switch (token.kind()) {
        case WORD -> {
          result.putIfAbsent(token.text(), token.at());
          if (after.kind() != Kind.COMMA && after.kind() != Kind.CLOSE) {
            throw foundIn(after, ", expected: ',' or ')'", "',' or ')'");
          }
        }
        case COMMA -> {
          if (result.isEmpty() || after.kind() == Kind.CLOSE || after.kind() == Kind.COMMA) {
            result.putIfAbsent("", token.at());
          }
        }
        default -> throw foundIn(token, ", expected: ',', or identifier", "a value, ',' or ')'");
      }
      if (after.kind() == Kind.CLOSE) {
        take();
        return result;
      }
    }
  }

  private static void check(String key, Operator operator, Map<String, Integer> wanted)
      throws LabelSelectorException {
    boolean isNumber = operator == Operator.GREATER || operator == Operator.LESS;
    // The apiserver names all wrong values, sorted; the short message names the first of the text.
    Set<String> problems = new LinkedHashSet<>();
    int apiserverIndex = -1;
    int order = 0;
    Map<String, Integer> sorted = new TreeMap<>(GoStrings.ORDER);
    sorted.putAll(wanted);
    for (var value : sorted.entrySet()) {
      String text = value.getKey();
      String path = "values[" + order++ + "]";
      if (isNumber && !isInt64(text)) {
        problems.add(
            invalidValue(path, text, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      String error = LabelSyntax.valueError(text);
      if (!error.isEmpty()) {
        problems.add(invalidValue(path + "[" + key + "]", text, error));
      }
      if (apiserverIndex < 0 && !problems.isEmpty()) {
        apiserverIndex = value.getValue();
      }
    }
    if (problems.isEmpty()) {
      return;
    }
    String all = String.join(", ", problems);
    String apiserverMessage = IN_REQUIREMENT + (problems.size() == 1 ? all : "[" + all + "]");
    for (var value : wanted.entrySet()) {
      boolean isValue = LabelSyntax.valueError(value.getKey()).isEmpty();
      if (!isValue || isNumber) {
        throw new LabelSelectorException(
            value.getValue(),
            "'"
                + value.getKey()
                + (isValue
                    ? "' is no whole number to compare with"
                    : "' is no value of a label, which is " + VALUE_RULE),
            apiserverIndex,
            apiserverMessage);
      }
    }
  }

  private static boolean isInt64(String text) {
    String digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
    return LabelRequirement.number(digits) >= 0 || text.equals(MIN_INT64);
  }

  private static String invalidValue(String path, String value, String wrong) {
    return path + ": Invalid value: " + GoStrings.quote(value) + ": " + wrong;
  }

  /** Returns the error for a token, with what the apiserver and the short message expect. */
  private static LabelSelectorException found(
      LabelToken token, String apiserverExpected, String expected) {
    return unexpected(token, "", apiserverExpected, expected);
  }

  private static LabelSelectorException foundIn(
      LabelToken token, String apiserverExpected, String expected) {
    return unexpected(token, IN_REQUIREMENT, apiserverExpected, expected);
  }

  private static LabelSelectorException unexpected(
      LabelToken token, String context, String apiserverExpected, String expected) {
    String text = "'" + token.text() + "'";
    return new LabelSelectorException(
        token.at(),
        "expected " + expected + ", found " + (token.kind() == Kind.END ? "the end" : text),
        token.at(),
        context + "found " + text + apiserverExpected);
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
