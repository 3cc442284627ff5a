package io.watchgate.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Annotation that identifies a write wherever it is received. It contains the write's number and
 * the time for which the write was scheduled. Its width is fixed, so that all states of an object
 * have the same size. It is found in the bytes of an object without parsing. Its offset is usually
 * the same in all objects, so the last offset is tried first. Not thread-safe.
 */
final class WriteStamp {
  static final String ANNOTATION = "bench.watchgate.io/write";

  private static final byte[] KEY =
      ("\"" + ANNOTATION + "\":\"").getBytes(StandardCharsets.US_ASCII);
  private static final int NUMBER_DIGITS = 12;
  private static final int TIME_DIGITS = 15;
  private static final String FORMAT = "%0" + NUMBER_DIGITS + "d@%0" + TIME_DIGITS + "d";
  private static final int VALUE = NUMBER_DIGITS + 1 + TIME_DIGITS;

  private int lastOffset;
  private int valueOffset;
  private byte[] bytes = {};

  /**
   * Returns the annotation's value.
   *
   * @param number from 0, below 10^12
   * @param intended scheduled time in nanoseconds since the beginning of the run, below 10^15
   */
  static String value(long number, long intended) {
    return FORMAT.formatted(number, intended);
  }

  /**
   * Searches part of an array for the annotation, which {@link #number} and {@link #scheduledNanos}
   * then read.
   */
  boolean find(byte[] in, int from, int to) {
    bytes = in;
    int last = to - KEY.length - VALUE;
    valueOffset = from + lastOffset;
    if (valueOffset <= last && isKey(valueOffset)) {
      valueOffset += KEY.length;
      return true;
    }
    for (valueOffset = from; valueOffset <= last; valueOffset++) {
      if (in[valueOffset] == KEY[0] && in[valueOffset + 1] == KEY[1] && isKey(valueOffset)) {
        lastOffset = valueOffset - from;
        valueOffset += KEY.length;
        return true;
      }
    }
    return false;
  }

  private boolean isKey(int from) {
    return Arrays.equals(bytes, from, from + KEY.length, KEY, 0, KEY.length);
  }

  long number() {
    return digits(valueOffset, NUMBER_DIGITS);
  }

  /** Returns the scheduled time of the write, in nanoseconds since the beginning of the run. */
  long scheduledNanos() {
    return digits(valueOffset + NUMBER_DIGITS + 1, TIME_DIGITS);
  }

  private long digits(int from, int count) {
    long number = 0;
    for (int i = from; i < from + count; i++) {
      number = number * 10 + (bytes[i] - '0');
    }
    return number;
  }
}
