package io.watchgate.cache;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Kubernetes resourceVersion: decimal digits without leading zero, ordered as numbers. Comparable
 * only within one type and one timeline (Kubernetes 1.35, KEP-5504, which limits it to 128 bits;
 * here up to 40 digits).
 */
public record ResourceVersion(String digits) implements Comparable<ResourceVersion> {
  /** 2^128 has 39 digits. */
  public static final int MAX_DIGITS = 40;

  public ResourceVersion {
    if (!isWellFormed(digits)) {
      throw new IllegalArgumentException("not a resourceVersion: decimal digits are expected");
    }
  }

  /**
   * Returns null unless {@code text} is a version that can be ordered. "" and "0" are versions of
   * nothing and give null.
   */
  public static @Nullable ResourceVersion parse(String text) {
    return isWellFormed(text) ? new ResourceVersion(text) : null;
  }

  private static boolean isWellFormed(String text) {
    if (text.isEmpty() || text.length() > MAX_DIGITS || text.charAt(0) == '0') {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
    }
    return true;
  }

  @Override
  public int compareTo(ResourceVersion other) {
    int byLength = Integer.compare(digits.length(), other.digits.length());
    return byLength != 0 ? byLength : digits.compareTo(other.digits);
  }

  public boolean isAfter(ResourceVersion other) {
    return compareTo(other) > 0;
  }

  /**
   * Returns the version before this one; this version if there is none, because a watch from "0"
   * begins anywhere.
   */
  public ResourceVersion previous() {
    ResourceVersion before = parse(new BigInteger(digits).subtract(BigInteger.ONE).toString());
    return before == null ? this : before;
  }

  @Override
  public String toString() {
    return digits;
  }
}
