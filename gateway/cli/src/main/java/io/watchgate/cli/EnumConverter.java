package io.watchgate.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Picocli converter that reads a constant of an enum by its name, in any case. */
final class EnumConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private final List<E> constants;

  EnumConverter(E[] constants) {
    this.constants = List.copyOf(Arrays.asList(constants));
  }

  @Override
  public E convert(String text) {
    return constants.stream()
        .filter(constant -> constant.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    constants.stream()
                        .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", ", "'" + text + "' is none of ", ""))));
  }
}
