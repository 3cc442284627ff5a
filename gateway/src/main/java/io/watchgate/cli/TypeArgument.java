package io.watchgate.cli;

import io.watchgate.proto.v1.ResourceType;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A resource type as kubectl takes it ({@code pods}, {@code deploy}, {@code deployments.apps},
 * {@code deployments.v1.apps}) or as paths and apiVersions write it ({@code v1/pods}, {@code
 * apps/v1/deployments}). Which names exist, the gateway knows.
 */
record TypeArgument(ResourceType type) {

  /** For picocli. */
  static final class Converter implements ITypeConverter<TypeArgument> {
    @Override
    public TypeArgument convert(String text) {
      ResourceType type = text.contains("/") ? path(text) : dotted(text);
      if (type.getResource().isEmpty()) {
        throw notAType(text);
      }
      return new TypeArgument(type);
    }

    private static ResourceType path(String text) {
      List<String> parts = List.of(text.split("/", -1));
      if (parts.size() > 3 || parts.stream().anyMatch(String::isEmpty)) {
        throw notAType(text);
      }
      return type(
          parts.size() == 3 ? parts.getFirst() : "", parts.get(parts.size() - 2), parts.getLast());
    }

    private static ResourceType dotted(String text) {
      String[] parts = text.split("\\.", 3);
      if (parts.length == 1) {
        return type("", "", text);
      }
      // kubectl's rule: deployments.v1.apps names a version, widgets.v1example.com does not.
      if (parts.length == 3 && parts[1].matches("v[0-9]+((alpha|beta)[0-9]+)?")) {
        return type(parts[2], parts[1], parts[0]);
      }
      return type(text.substring(parts[0].length() + 1), "", parts[0]);
    }

    private static ResourceType type(String group, String version, String resource) {
      return ResourceType.newBuilder()
          .setGroup(group)
          .setVersion(version)
          .setResource(resource)
          .build();
    }

    private static TypeConversionException notAType(String text) {
      return new TypeConversionException(
          "'"
              + text
              + "' is not a resource type, such as pods, deployments.apps or"
              + " apps/v1/deployments");
    }
  }
}
