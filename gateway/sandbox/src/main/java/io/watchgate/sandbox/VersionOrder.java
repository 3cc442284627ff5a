package io.watchgate.sandbox;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Order of a group's versions by preference: v2, v1, v1beta1, v1alpha2, then by name. */
final class VersionOrder {
  private static final Pattern VERSION = Pattern.compile("v(\\d{1,9})(?:(alpha|beta)(\\d{1,9}))?");

  private record Rank(int stability, int major, int minor) {}

  /** The preferred version first. */
  static final Comparator<String> PREFERRED_FIRST =
      Comparator.comparing(
              VersionOrder::rank,
              Comparator.comparingInt(Rank::stability)
                  .thenComparingInt(Rank::major)
                  .thenComparingInt(Rank::minor)
                  .reversed())
          .thenComparing(Comparator.naturalOrder());

  private VersionOrder() {}

  private static Rank rank(String version) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return new Rank(0, 0, 0);
    }
    int stability = parts.group(2) == null ? 3 : parts.group(2).equals("beta") ? 2 : 1;
    int minor = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
    return new Rank(stability, Integer.parseInt(parts.group(1)), minor);
  }
}
