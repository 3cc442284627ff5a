package io.watchgate.check;

import java.math.BigInteger;

/**
 * A resourceVersion, ordered as a number of any length. Not the gateway's own class: what judges it
 * has to be right where it is wrong.
 */
public record Version(BigInteger number) implements Comparable<Version> {
  /** Before everything. */
  public static final Version NONE = new Version(BigInteger.ZERO);

  /**
   * Of decimal digits.
   *
   * @throws NumberFormatException if it is not
   */
  public static Version of(String digits) {
    return new Version(new BigInteger(digits));
  }

  @Override
  public int compareTo(Version other) {
    return number.compareTo(other.number);
  }

  boolean isAfter(Version other) {
    return compareTo(other) > 0;
  }

  @Override
  public String toString() {
    return number.toString();
  }
}
