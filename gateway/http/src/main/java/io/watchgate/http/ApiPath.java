package io.watchgate.http;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Path of a request to a resource, such as {@code /api/v1/namespaces/shop/pods/web-1/status}. The
 * type need not be served.
 *
 * @param group empty for the core group
 * @param namespace empty for all, and for cluster-scoped types
 * @param name empty for a collection
 * @param subresource empty for the object itself
 * @param form whether the path is below the older {@code /watch/}
 */
public record ApiPath(
    String group,
    String version,
    String resource,
    String namespace,
    String name,
    String subresource,
    Form form) {

  /** Form of a path: an older watch has a path of its own, a newer one has a parameter. */
  public enum Form {
    PLAIN,
    LEGACY_WATCH
  }

  /** Returns whether the path names one object, and not a collection or a watch. */
  boolean isObject() {
    return !name.isEmpty() && form != Form.LEGACY_WATCH;
  }

  /**
   * Parses a decoded path; empty if it is not a path of a resource. A slash at its end is ignored.
   */
  public static Optional<ApiPath> parse(String path) {
    String inner = path.startsWith("/") ? path.substring(1) : path;
    List<String> parts =
        List.of(
            (inner.endsWith("/") ? inner.substring(0, inner.length() - 1) : inner).split("/", -1));
    if (parts.size() >= 3 && parts.get(0).equals("api")) {
      return below("", parts.get(1), parts.subList(2, parts.size()));
    }
    if (parts.size() >= 4 && parts.get(0).equals("apis")) {
      return below(parts.get(1), parts.get(2), parts.subList(3, parts.size()));
    }
    return Optional.empty();
  }

  private static Optional<ApiPath> below(String group, String version, List<String> rest) {
    boolean legacy = rest.getFirst().equals("watch");
    List<String> parts = legacy ? rest.subList(1, rest.size()) : rest;
    String namespace = "";
    // "namespaces/shop" is the object, "namespaces/shop/status" its subresource.
    if (parts.size() >= 3
        && parts.getFirst().equals("namespaces")
        && !(parts.size() == 3 && NAMESPACE_SUBRESOURCES.contains(parts.get(2)))) {
      namespace = parts.get(1);
      parts = parts.subList(2, parts.size());
    }
    if (parts.isEmpty() || parts.getFirst().isEmpty() || parts.size() > 3) {
      return Optional.empty();
    }
    String[] at = Arrays.copyOf(parts.toArray(String[]::new), 3);
    return Optional.of(
        new ApiPath(
            group,
            version,
            at[0],
            namespace,
            at[1] == null ? "" : at[1],
            at[2] == null ? "" : at[2],
            legacy ? Form.LEGACY_WATCH : Form.PLAIN));
  }

  private static final List<String> NAMESPACE_SUBRESOURCES = List.of("status", "finalize");
}
