package io.watchgate.check;

import java.math.BigInteger;

/**
 * A resourceVersion, ordered as a number of any length. Not the gateway's own class: what judges it
 * has to be right where it is wrong.
 */
public record CheckedVersion(BigInteger number) implements Comparable<CheckedVersion> {
  /** Before everything. */
  public static final CheckedVersion NONE = new CheckedVersion(BigInteger.ZERO);

  /**
   * Of decimal digits.
   *
   * @throws NumberFormatException if it is not
   */
  public static CheckedVersion of(String digits) {
    return new CheckedVersion(new BigInteger(digits));
  }

  @Override
  public int compareTo(CheckedVersion other) {
    return number.compareTo(other.number);
  }

  boolean isAfter(CheckedVersion other) {
    return compareTo(other) > 0;
  }

  @Override
  public String toString() {
    return number.toString();
  }
}
