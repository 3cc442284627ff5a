package io.watchgate.json;

import java.io.InputStream;
import java.util.Random;
import java.util.function.IntSupplier;

/** Stream that returns its bytes in pieces of chosen sizes. */
final class Chunks extends InputStream {
  private final byte[] bytes;
  private final IntSupplier size;
  private int at;

  private Chunks(byte[] bytes, IntSupplier size) {
    this.bytes = bytes;
    this.size = size;
  }

  /** Returns pieces of {@code size} bytes. */
  static Chunks of(byte[] bytes, int size) {
    return new Chunks(bytes, () -> size);
  }

  /** Returns pieces of 1 to {@code most} bytes. */
  static Chunks random(byte[] bytes, Random random, int most) {
    return new Chunks(bytes, () -> 1 + random.nextInt(most));
  }

  /** Returns the number of bytes that were read. */
  int given() {
    return at;
  }

  @Override
  public int read() {
    return at == bytes.length ? -1 : bytes[at++] & 0xff;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    if (at == bytes.length) {
      return -1;
    }
    int n = Math.min(Math.min(length, bytes.length - at), size.getAsInt());
    System.arraycopy(bytes, at, to, offset, n);
    at += n;
    return n;
  }
}
