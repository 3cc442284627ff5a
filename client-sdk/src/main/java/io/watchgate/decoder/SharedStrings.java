package io.watchgate.decoder;

/**
 * Best-effort cache of short strings: a hash table with one string per slot, so that equal strings
 * share memory. Thread-safe without a lock: a race on a slot at most duplicates a string.
 */
final class SharedStrings {
  /** Longest cached string; longer strings rarely repeat. */
  private static final int LONGEST = 64;

  private static final int PLACES = 1 << 12;

  private final String[] known = new String[PLACES];

  /** Returns an equal string, cached if possible. */
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
