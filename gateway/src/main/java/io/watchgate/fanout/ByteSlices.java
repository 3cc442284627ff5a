package io.watchgate.fanout;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Bytes that stand in pieces of other arrays: what a response is made of. Putting pieces together
 * copies none of them, so that the bytes of an object are those of the cache however many responses
 * hold them. Immutable, provided that nobody changes the arrays.
 */
public final class ByteSlices {
  public static final ByteSlices EMPTY = new ByteSlices(new byte[0][], new int[0], 0, 0);

  private final byte[][] arrays;

  /** Of piece i: where it begins, at 2 i, and where it ends, at 2 i + 1. */
  private final int[] bounds;

  private final int count;
  private final int size;

  private ByteSlices(byte[][] arrays, int[] bounds, int count, int size) {
    this.arrays = arrays;
    this.bounds = bounds;
    this.count = count;
    this.size = size;
  }

  public static ByteSlices of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  public static ByteSlices of(byte[] bytes, int from, int to) {
    return new ByteSlices(new byte[][] {bytes}, new int[] {from, to}, 1, to - from);
  }

  /** In bytes. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** How many pieces there are. */
  public int count() {
    return count;
  }

  /** The array that a piece stands in. Not to be changed. */
  public byte[] array(int piece) {
    return arrays[piece];
  }

  /** Where in its array a piece begins. */
  public int from(int piece) {
    return bounds[2 * piece];
  }

  /** How long a piece is. */
  public int length(int piece) {
    return bounds[2 * piece + 1] - bounds[2 * piece];
  }

  public void writeTo(OutputStream out) throws IOException {
    for (int i = 0; i < count; i++) {
      out.write(arrays[i], from(i), length(i));
    }
  }

  /** A copy, in one piece. */
  public byte[] toByteArray() {
    byte[] copy = new byte[size];
    int at = 0;
    for (int i = 0; i < count; i++) {
      System.arraycopy(arrays[i], from(i), copy, at, length(i));
      at += length(i);
    }
    return copy;
  }

  /** Never the content, which may be a secret's. */
  @Override
  public String toString() {
    return size + " bytes in " + count + " pieces";
  }

  /** Puts pieces together. Not thread-safe; of no use after {@link #build}. */
  public static final class Builder {
    private byte[][] arrays;
    private int[] bounds;
    private int count;
    private int size;

    public Builder() {
      this(4);
    }

    /**
     * @param pieces how many are expected
     */
    public Builder(int pieces) {
      arrays = new byte[pieces][];
      bounds = new int[2 * pieces];
    }

    public int size() {
      return size;
    }

    public Builder add(byte[] bytes) {
      return add(bytes, 0, bytes.length);
    }

    public Builder add(byte[] bytes, int from, int to) {
      if (from == to) {
        return this;
      }
      if (count == arrays.length) {
        grow(1);
      }
      arrays[count] = bytes;
      bounds[2 * count] = from;
      bounds[2 * count + 1] = to;
      count++;
      size += to - from;
      return this;
    }

    public Builder add(ByteSlices more) {
      if (count + more.count > arrays.length) {
        grow(more.count);
      }
      System.arraycopy(more.arrays, 0, arrays, count, more.count);
      System.arraycopy(more.bounds, 0, bounds, 2 * count, 2 * more.count);
      count += more.count;
      size += more.size;
      return this;
    }

    private void grow(int by) {
      int capacity = Math.max(count + by, 2 * arrays.length);
      arrays = Arrays.copyOf(arrays, capacity);
      bounds = Arrays.copyOf(bounds, 2 * capacity);
    }

    public ByteSlices build() {
      return new ByteSlices(arrays, bounds, count, size);
    }
  }
}
