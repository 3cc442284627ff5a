package io.watchgate.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Growing byte array. Not thread-safe. */
final class ByteBuilder {
  private byte[] bytes;
  private int size;

  ByteBuilder(int capacity) {
    bytes = new byte[capacity];
  }

  ByteBuilder append(byte[] more, int from, int to) {
    int length = to - from;
    if (bytes.length - size < length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + length, 2 * bytes.length));
    }
    System.arraycopy(more, from, bytes, size, length);
    size += length;
    return this;
  }

  ByteBuilder append(byte[] more) {
    return append(more, 0, more.length);
  }

  ByteBuilder append(String text) {
    return append(text.getBytes(StandardCharsets.UTF_8));
  }

  ByteBuilder append(char ascii) {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(16, 2 * size));
    }
    bytes[size++] = (byte) ascii;
    return this;
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** Returns the backing array, of which the first {@link #size} bytes are valid. */
  byte[] array() {
    return bytes;
  }

  /** Returns a buffer over the same bytes, valid until the next append or clear. */
  ByteBuffer asBuffer() {
    return ByteBuffer.wrap(bytes, 0, size);
  }
}
