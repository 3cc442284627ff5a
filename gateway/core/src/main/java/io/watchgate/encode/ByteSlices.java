package io.watchgate.encode;

import java.util.Arrays;

/**
 * Immutable byte sequence made of slices of other arrays; the content of a response. Joining slices
 * copies no bytes, so any number of responses share the cache's bytes of an object. The caller must
 * not change the arrays afterwards.
 */
public final class ByteSlices {
  public static final ByteSlices EMPTY = new ByteSlices(new byte[0][], new int[0], 0, 0);

  private final byte[][] arrays;

  /** Bounds of the slices: slice i begins at element 2 i and ends before element 2 i + 1. */
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

  /** Returns the number of bytes. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the number of slices. */
  public int count() {
    return count;
  }

  /** Returns the array of a slice. The caller must not change it. */
  public byte[] array(int piece) {
    return arrays[piece];
  }

  /** Returns the offset at which a slice begins in its array. */
  public int from(int piece) {
    return bounds[2 * piece];
  }

  /** Returns the length of a slice in bytes. */
  public int length(int piece) {
    return bounds[2 * piece + 1] - bounds[2 * piece];
  }

  /** Returns a copy of all bytes in one array. */
  public byte[] toByteArray() {
    byte[] copy = new byte[size];
    int at = 0;
    for (int i = 0; i < count; i++) {
      System.arraycopy(arrays[i], from(i), copy, at, length(i));
      at += length(i);
    }
    return copy;
  }

  /** Returns the sizes only: the content may be that of a secret. */
  @Override
  public String toString() {
    return size + " bytes in " + count + " pieces";
  }

  /** Builder that joins slices. Not thread-safe; must not be used after {@link #build}. */
  public static final class Builder {
    private byte[][] arrays;
    private int[] bounds;
    private int count;
    private int size;

    public Builder() {
      this(4);
    }

    /**
     * @param pieces expected number of slices
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
