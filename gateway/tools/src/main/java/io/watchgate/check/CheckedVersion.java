package io.watchgate.check;

import java.math.BigInteger;

/**
 * A resourceVersion, ordered as a number of any length. The gateway's own class is not used,
 * because a check must be right where the gateway is wrong.
 */
public record CheckedVersion(BigInteger number) implements Comparable<CheckedVersion> {
  /** The version before all others. */
  public static final CheckedVersion NONE = new CheckedVersion(BigInteger.ZERO);

  /**
   * Returns the version for decimal digits.
   *
   * @throws NumberFormatException if the text is not a number
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
