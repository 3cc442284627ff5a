package io.watchgate.cli;

import io.watchgate.cli.output.OutputFormat;
import io.watchgate.cli.path.PathException;
import io.watchgate.cli.path.PathTemplate;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code -o}, for picocli. */
final class OutputFormats implements ITypeConverter<OutputFormat> {
  private static final String PATH = "jsonpath=";

  /** For completion. */
  static final class Words implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Stream.concat(
              Arrays.stream(OutputFormat.Named.values()).map(OutputFormat.Named::name),
              Stream.of(PATH))
          .iterator();
    }
  }

  @Override
  public OutputFormat convert(String text) {
    if (text.startsWith(PATH)) {
      return path(text.substring(PATH.length()));
    }
    for (OutputFormat.Named named : OutputFormat.Named.values()) {
      if (named.name().equals(text.toUpperCase(Locale.ROOT))) {
        return named;
      }
    }
    throw new TypeConversionException(
        "'" + text + "' is none of table, wide, json, yaml, name, jsonpath=TEMPLATE, diff");
  }

  private static OutputFormat path(String template) {
    try {
      return new OutputFormat.Path(PathTemplate.parse(template));
    } catch (PathException e) {
      throw new TypeConversionException(
          "jsonpath, column "
              + e.column()
              + ": "
              + e.getMessage()
              + "\n"
              + Caret.below(template, e.column()));
    }
  }
}
