package io.watchgate.json;

/**
 * FNV-1a hash of 64 bits over several parts, each followed by a separator that no part can contain.
 * It processes one byte at a time, each after the one before: some hundred nanoseconds for the
 * identity of an object. Digests in tokens are made of it, so it must not change.
 */
final class Fnv1a64 {
  static final long START = 0xcbf29ce484222325L;

  private static final long PRIME = 0x100000001b3L;

  private Fnv1a64() {}

  /** Returns the hash with one more part. */
  static long add(long hash, byte[] bytes, int from, int to) {
    long added = hash;
    for (int i = from; i < to; i++) {
      added = (added ^ (bytes[i] & 0xff)) * PRIME;
    }
    return (added ^ 0x1ff) * PRIME;
  }
}
