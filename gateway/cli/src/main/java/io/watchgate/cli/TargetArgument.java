package io.watchgate.cli;

import io.watchgate.grpc.ResourceTypeText;
import io.watchgate.proto.v1.ResourceType;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;

/**
 * Resource types, or one followed by a slash and the name of one object: {@code pods}, {@code
 * pods,services}, {@code pods/web}, {@code apps/v1/deployments/web}.
 *
 * @param types at least one, each once
 * @param name empty for all objects
 */
record TargetArgument(List<ResourceType> types, String name) {
  TargetArgument {
    types = List.copyOf(types);
  }

  /** Picocli converter. */
  static final class Converter implements ITypeConverter<TargetArgument> {
    @Override
    public TargetArgument convert(String text) {
      if (text.contains(",")) {
        return new TargetArgument(
            Stream.of(text.split(",", -1)).map(TypeArgument::parse).distinct().toList(), "");
      }
      List<String> parts = List.of(text.split("/", -1));
      int ofType = ResourceTypeText.partsOfPath(parts);
      if (parts.size() == ofType) {
        return new TargetArgument(List.of(TypeArgument.parse(text)), "");
      }
      if (parts.size() > ofType + 1 || parts.getLast().isEmpty()) {
        throw TypeArgument.notAType(
            text, ", nor a type and a name, such as pods/web; -n NAMESPACE gives the namespace");
      }
      return new TargetArgument(
          List.of(TypeArgument.parse(String.join("/", parts.subList(0, ofType)))), parts.getLast());
    }
  }
}
