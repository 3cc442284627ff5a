package io.watchgate.informer;

/**
 * Comparison of resource versions: decimal numbers of any length, comparable within one resource
 * type of one cluster.
 */
public final class ResourceVersions {
  private ResourceVersions() {}

  /**
   * Compares two versions as {@link Integer#compare} does.
   *
   * @throws IllegalArgumentException if a version is not a number as Kubernetes writes it: digits,
   *     without a leading zero
   */
  public static int compare(String left, String right) {
    require(left);
    require(right);
    return left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : left.compareTo(right);
  }

  static boolean isValid(String version) {
    boolean isNumber = !version.isEmpty() && version.charAt(0) != '0';
    for (int i = 0; isNumber && i < version.length(); i++) {
      isNumber = version.charAt(i) >= '0' && version.charAt(i) <= '9';
    }
    return isNumber;
  }

  private static void require(String version) {
    if (!isValid(version)) {
      throw new IllegalArgumentException(
          "the resourceVersion \"" + version + "\" is not a number above 0");
    }
  }
}
