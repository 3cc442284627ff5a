package io.watchgate.json;

/**
 * FNV-1a of 64 bits, part after part, each followed by a separator that none can contain. It takes
 * a byte at a time, each waiting for the one before: some hundred nanoseconds for what identifies
 * an object. Digests in tokens are made of it, so it stays.
 */
final class Fnv1a64 {
  static final long START = 0xcbf29ce484222325L;

  private static final long PRIME = 0x100000001b3L;

  private Fnv1a64() {}

  /** The hash, one part further. */
  static long add(long hash, byte[] bytes, int from, int to) {
    long added = hash;
    for (int i = from; i < to; i++) {
      added = (added ^ (bytes[i] & 0xff)) * PRIME;
    }
    return (added ^ 0x1ff) * PRIME;
  }
}
