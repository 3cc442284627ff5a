package io.watchgate.informer;

/**
 * Versions are decimal numbers of any length, and compare within one resource type of one cluster.
 */
public final class ResourceVersions {
  private ResourceVersions() {}

  /**
   * As {@link Integer#compare}.
   *
   * @throws IllegalArgumentException if one of them is no number as Kubernetes writes it: digits,
   *     without a leading zero
   */
  public static int compare(String left, String right) {
    require(left);
    require(right);
    return left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : left.compareTo(right);
  }

  static boolean isOne(String version) {
    boolean isNumber = !version.isEmpty() && version.charAt(0) != '0';
    for (int i = 0; isNumber && i < version.length(); i++) {
      isNumber = version.charAt(i) >= '0' && version.charAt(i) <= '9';
    }
    return isNumber;
  }

  private static void require(String version) {
    if (!isOne(version)) {
      throw new IllegalArgumentException(
          "the resourceVersion \"" + version + "\" is not a number above 0");
    }
  }
}
