package io.watchgate.cli;

import io.watchgate.cache.TypeReference;
import io.watchgate.grpc.ResourceTypeText;
import io.watchgate.proto.v1.ResourceType;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Resource type as typed, in a form of {@link ResourceTypeText}. Names are resolved by the gateway.
 */
record TypeArgument(ResourceType type) {

  /** Picocli converter. */
  static final class Converter implements ITypeConverter<TypeArgument> {
    @Override
    public TypeArgument convert(String text) {
      return new TypeArgument(parse(text));
    }
  }

  static ResourceType parse(String text) {
    return ResourceTypeText.parse(text).orElseThrow(() -> notAType(text, ""));
  }

  /** Returns the name for a cluster's discovery. */
  TypeReference reference() {
    return new TypeReference(type.getGroup(), type.getVersion(), type.getResource());
  }

  /** Returns {@code pods}, or {@code deployments.apps}. */
  static String text(ResourceType type) {
    return type.getResource() + (type.getGroup().isEmpty() ? "" : "." + type.getGroup());
  }

  static TypeConversionException notAType(String text, String either) {
    return new TypeConversionException(
        "'"
            + text
            + "' is not a resource type, such as pods, deployments.apps or apps/v1/deployments"
            + either);
  }
}
