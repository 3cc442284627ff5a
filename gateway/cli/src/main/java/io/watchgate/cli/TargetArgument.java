package io.watchgate.cli;

import io.watchgate.proto.v1.ResourceType;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Resource type, optionally followed by a slash and the name of one object: {@code pods}, {@code
 * pods/web}, {@code apps/v1/deployments/web}.
 *
 * @param name empty for all objects
 */
record TargetArgument(ResourceType type, String name) {

  /** Picocli converter. */
  static final class Converter implements ITypeConverter<TargetArgument> {
    @Override
    public TargetArgument convert(String text) {
      if (text.contains(",")) {
        throw new TypeConversionException(
            "'" + text + "' names several types; one command takes one, so run one for each");
      }
      List<String> parts = List.of(text.split("/", -1));
      int ofType = TypeArgument.partsOfPath(parts);
      if (parts.size() == ofType) {
        return new TargetArgument(TypeArgument.parse(text), "");
      }
      if (parts.size() > ofType + 1 || parts.getLast().isEmpty()) {
        throw TypeArgument.notAType(text, ", nor a type and a name, such as pods/web");
      }
      return new TargetArgument(
          TypeArgument.parse(String.join("/", parts.subList(0, ofType))), parts.getLast());
    }
  }
}
