package io.watchgate.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The annotation by which a write is known wherever it arrives: its number, and when it was meant
 * to be made. Of fixed width, so that all states of an object have the same size. Finds it in the
 * bytes of an object without parsing them: object after object it stands at the same place, which
 * is looked at first. Not thread-safe.
 */
final class WriteStamp {
  static final String ANNOTATION = "bench.watchgate.io/write";

  private static final byte[] KEY =
      ("\"" + ANNOTATION + "\":\"").getBytes(StandardCharsets.US_ASCII);
  private static final int NUMBER_DIGITS = 12;
  private static final int TIME_DIGITS = 15;
  private static final String FORMAT = "%0" + NUMBER_DIGITS + "d@%0" + TIME_DIGITS + "d";
  private static final int VALUE = NUMBER_DIGITS + 1 + TIME_DIGITS;

  private int usual;
  private int at;
  private byte[] bytes = {};

  /**
   * The annotation's value.
   *
   * @param number from 0, below 10^12
   * @param intended nanoseconds since the beginning of the run, below 10^15
   */
  static String value(long number, long intended) {
    return FORMAT.formatted(number, intended);
  }

  /** Looks for it in part of an array; {@link #number} and {@link #intended} then read there. */
  boolean find(byte[] in, int from, int to) {
    bytes = in;
    int last = to - KEY.length - VALUE;
    at = from + usual;
    if (at <= last && isKey(at)) {
      at += KEY.length;
      return true;
    }
    for (at = from; at <= last; at++) {
      if (in[at] == KEY[0] && in[at + 1] == KEY[1] && isKey(at)) {
        usual = at - from;
        at += KEY.length;
        return true;
      }
    }
    return false;
  }

  private boolean isKey(int from) {
    return Arrays.equals(bytes, from, from + KEY.length, KEY, 0, KEY.length);
  }

  long number() {
    return digits(at, NUMBER_DIGITS);
  }

  /** When the write was meant to be made, in nanoseconds since the beginning of the run. */
  long intended() {
    return digits(at + NUMBER_DIGITS + 1, TIME_DIGITS);
  }

  private long digits(int from, int count) {
    long number = 0;
    for (int i = from; i < from + count; i++) {
      number = number * 10 + (bytes[i] - '0');
    }
    return number;
  }
}
