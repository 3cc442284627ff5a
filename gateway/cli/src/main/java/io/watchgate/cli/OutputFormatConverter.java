package io.watchgate.cli;

import io.watchgate.cli.output.OutputFormat;
import io.watchgate.cli.output.PathColumn;
import io.watchgate.jsonpath.JsonPathTemplate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Picocli converter of {@code -o} of {@code watch}. */
final class OutputFormatConverter implements ITypeConverter<OutputFormat> {
  private static final String PATH = "jsonpath=";
  private static final String COLUMNS = "custom-columns=";
  private static final List<OutputFormat.Named> ALL = List.of(OutputFormat.Named.values());
  private static final List<OutputFormat.Named> OF_LISTS =
      ALL.stream().filter(named -> named != OutputFormat.Named.DIFF).toList();

  /** Candidates for completion. */
  static final class Words implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return words(ALL);
    }
  }

  /** Candidates for completion of {@code list}. */
  static final class WordsOfLists implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return words(OF_LISTS);
    }
  }

  /** Converter of {@code -o} of {@code list}. */
  static final class OfLists implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String text) {
      if (text.equalsIgnoreCase(OutputFormat.Named.DIFF.name())) {
        throw new TypeConversionException("diff shows changes; 'watchgate watch -o diff' has them");
      }
      return read(text, OF_LISTS);
    }
  }

  @Override
  public OutputFormat convert(String text) {
    return read(text, ALL);
  }

  private static Iterator<String> words(List<OutputFormat.Named> formats) {
    return Stream.concat(formats.stream().map(OutputFormat.Named::name), Stream.of(PATH, COLUMNS))
        .iterator();
  }

  private static OutputFormat read(String text, List<OutputFormat.Named> formats) {
    if (text.startsWith(PATH)) {
      return path(text.substring(PATH.length()));
    }
    if (text.startsWith(COLUMNS)) {
      return columns(text.substring(COLUMNS.length()));
    }
    for (OutputFormat.Named named : formats) {
      if (named.name().equalsIgnoreCase(text)) {
        return named;
      }
    }
    List<String> names =
        formats.stream().map(named -> named.name().toLowerCase(Locale.ROOT)).toList();
    throw new TypeConversionException(
        "'"
            + text
            + "' is none of "
            + String.join(", ", names)
            + ", "
            + PATH
            + "TEMPLATE, "
            + COLUMNS
            + "HEADER:PATH,...");
  }

  private static OutputFormat columns(String text) {
    List<PathColumn> columns = new ArrayList<>();
    for (String column : text.split(",", -1)) {
      int colon = column.indexOf(':');
      if (colon < 1 || colon == column.length() - 1) {
        throw new TypeConversionException(
            "custom-columns: '"
                + column
                + "' is not a column; expected HEADER:PATH, such as NODE:.spec.nodeName");
      }
      String header = column.substring(0, colon);
      columns.add(
          new PathColumn(
              header,
              PathArgument.path("custom-columns, " + header + ", ", column.substring(colon + 1))));
    }
    return new OutputFormat.Columns(columns);
  }

  private static OutputFormat path(String template) {
    return new OutputFormat.Path(
        PathArgument.parse("jsonpath, ", template, JsonPathTemplate::parse));
  }
}
