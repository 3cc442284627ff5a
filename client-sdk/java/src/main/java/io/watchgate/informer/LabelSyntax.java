package io.watchgate.informer;

import java.util.regex.Pattern;

/** Syntax rules of label keys and values. */
final class LabelSyntax {
  private static final int MAX_NAME_LENGTH = 63;
  private static final int MAX_PREFIX_LENGTH = 253;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?");
  private static final Pattern PREFIX =
      Pattern.compile("[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*");

  static final String KEY =
      "NAME or DNS.NAME/NAME, of letters, digits, '-', '_' and '.', with a letter or digit first"
          + " and last, at most 63 behind the slash";
  static final String VALUE =
      "empty, or at most 63 letters, digits, '-', '_' and '.', with a letter or digit first and"
          + " last";

  private LabelSyntax() {}

  static boolean isKey(String text) {
    int slash = text.indexOf('/');
    return isName(text.substring(slash + 1)) && (slash < 0 || isPrefix(text.substring(0, slash)));
  }

  static boolean isValue(String text) {
    return text.isEmpty() || isName(text);
  }

  /**
   * Names are ASCII, so bytes equal chars. The length is checked first, because patterns recurse.
   */
  private static boolean isName(String text) {
    return text.length() <= MAX_NAME_LENGTH && NAME.matcher(text).matches();
  }

  private static boolean isPrefix(String text) {
    return text.length() <= MAX_PREFIX_LENGTH && PREFIX.matcher(text).matches();
  }
}
