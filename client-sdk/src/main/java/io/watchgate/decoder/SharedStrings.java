package io.watchgate.decoder;

/**
 * Makes equal short texts one, as far as it remembers: the last one of each place of a table.
 * Thread-safe without a lock: two threads at one place at most make two of a text.
 */
final class SharedStrings {
  /** What is longer hardly comes twice. */
  private static final int LONGEST = 64;

  private static final int PLACES = 1 << 12;

  private final String[] known = new String[PLACES];

  /** An equal text. */
  String shared(String text) {
    if (text.length() > LONGEST) {
      return text;
    }
    int hash = text.hashCode();
    int place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    String there = known[place];
    if (text.equals(there)) {
      return there;
    }
    known[place] = text;
    return text;
  }
}
