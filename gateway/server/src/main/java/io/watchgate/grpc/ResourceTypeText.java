package io.watchgate.grpc;

import io.watchgate.proto.v1.ResourceType;
import java.util.List;
import java.util.Optional;

/**
 * Parser of a resource type in kubectl's syntax ({@code pods}, {@code deploy}, {@code
 * deployments.apps}, {@code deployments.v1.apps}) or in that of paths and apiVersions ({@code
 * v1/pods}, {@code apps/v1/deployments}). Names are resolved later.
 */
public final class ResourceTypeText {
  private ResourceTypeText() {}

  /** Returns the type; empty if the text names none. */
  public static Optional<ResourceType> parse(String text) {
    List<String> parts = List.of(text.split("/", -1));
    if (parts.size() != partsOfPath(parts) || parts.stream().anyMatch(String::isEmpty)) {
      return Optional.empty();
    }
    return switch (parts.size()) {
      case 1 -> dotted(text);
      case 2 -> Optional.of(type("", parts.getFirst(), parts.getLast()));
      default -> Optional.of(type(parts.getFirst(), parts.get(1), parts.getLast()));
    };
  }

  /**
   * Returns the number of parts between slashes that name a type, which follows from the position
   * of the version.
   */
  public static int partsOfPath(List<String> parts) {
    if (parts.size() > 1 && isVersion(parts.getFirst())) {
      return 2;
    }
    return parts.size() > 2 && isVersion(parts.get(1)) ? 3 : 1;
  }

  private static Optional<ResourceType> dotted(String text) {
    String[] parts = text.split("\\.", 3);
    if (parts[0].isEmpty()) {
      return Optional.empty();
    }
    if (parts.length == 1) {
      return Optional.of(type("", "", text));
    }
    // kubectl's rule: deployments.v1.apps names a version, widgets.v1example.com does not.
    if (parts.length == 3 && isVersion(parts[1])) {
      return Optional.of(type(parts[2], parts[1], parts[0]));
    }
    return Optional.of(type(text.substring(parts[0].length() + 1), "", parts[0]));
  }

  /**
   * Matches {@code v1}, {@code v2beta3}. No regular expression is used, to avoid loading its
   * classes for this alone.
   */
  private static boolean isVersion(String text) {
    if (!text.startsWith("v")) {
      return false;
    }
    int at = afterDigits(text, 1);
    if (at == 1 || at == text.length()) {
      return at > 1;
    }
    int stage = text.startsWith("alpha", at) ? at + 5 : text.startsWith("beta", at) ? at + 4 : at;
    int end = afterDigits(text, stage);
    return stage > at && end > stage && end == text.length();
  }

  private static int afterDigits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static ResourceType type(String group, String version, String resource) {
    return ResourceType.newBuilder()
        .setGroup(group)
        .setVersion(version)
        .setResource(resource)
        .build();
  }
}
