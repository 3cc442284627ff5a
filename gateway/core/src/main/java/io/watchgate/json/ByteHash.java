package io.watchgate.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hash of a range of bytes for tables in memory, eight bytes at a time. It has a random seed for
 * each process: keys come from clients, which could otherwise choose thousands of colliding keys.
 */
public final class ByteHash {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SEED = ThreadLocalRandom.current().nextLong();
  private static final long FACTOR = ThreadLocalRandom.current().nextLong() | 1;

  private ByteHash() {}

  /** Returns the hash of the bytes in [from, to). */
  public static int of(byte[] bytes, int from, int to) {
    long hash = SEED ^ (to - from);
    int at = from;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      hash = mixed(hash ^ (long) LONGS.get(bytes, at));
    }
    long rest = 0;
    for (; at < to; at++) {
      rest = rest << Byte.SIZE | (bytes[at] & 0xff);
    }
    hash = mixed(mixed(hash ^ rest));
    return (int) (hash ^ hash >>> Integer.SIZE);
  }

  private static long mixed(long value) {
    return value * FACTOR ^ Math.multiplyHigh(value, FACTOR);
  }
}
