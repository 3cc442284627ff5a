package io.watchgate.decoder;

/**
 * Best-effort cache of short strings: a hash table with one string per slot, so that equal strings
 * share memory. Thread-safe without a lock: a race on a slot at most duplicates a string.
 */
final class SharedStrings {
  /** Longest cached string; longer strings rarely repeat. */
  private static final int MAX_LENGTH = 64;

  private static final int SLOTS = 1 << 12;

  private final String[] slots = new String[SLOTS];

  /** Returns an equal string, cached if possible. */
  String shared(String text) {
    if (text.length() > MAX_LENGTH) {
      return text;
    }
    int hash = text.hashCode();
    int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    String cached = slots[slot];
    if (text.equals(cached)) {
      return cached;
    }
    slots[slot] = text;
    return text;
  }
}
