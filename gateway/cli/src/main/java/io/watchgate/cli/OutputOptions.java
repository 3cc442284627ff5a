package io.watchgate.cli;

import io.watchgate.cli.output.DiffOutput;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.JsonListOutput;
import io.watchgate.cli.output.JsonOutput;
import io.watchgate.cli.output.JsonPathOutput;
import io.watchgate.cli.output.NameOutput;
import io.watchgate.cli.output.OutputFormat;
import io.watchgate.cli.output.PathColumn;
import io.watchgate.cli.output.RowStyle;
import io.watchgate.cli.output.TableOutput;
import io.watchgate.cli.output.TableShape;
import io.watchgate.cli.output.TableShape.Extra;
import io.watchgate.cli.output.TableShape.Header;
import io.watchgate.cli.output.YamlOutput;
import io.watchgate.client.WatchClient;
import io.watchgate.jsonpath.JsonPathTemplate;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.table.TypeColumns.Width;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Output options of a command that prints objects. The nested classes declare {@code -o}. */
@OptionGroup("Output")
abstract class OutputOptions {
  private OutputFormat format = OutputFormat.Named.TABLE;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      description =
          "auto: on a terminal, unless NO_COLOR is set or TERM=dumb; always; never. Default: auto.")
  private ColorChoice color = ColorChoice.AUTO;

  @Option(names = "--no-headers", description = "Table without its header. Default: with it.")
  private boolean noHeaders;

  @Option(
      names = "--show-labels",
      description = "Table with a last column LABELS: all labels of the object. Default: without.")
  private boolean showLabels;

  @Option(
      names = {"-L", "--label-columns"},
      paramLabel = "KEY",
      split = ",",
      description =
          "Table with a column for each of these labels: app,tier; may be given again. Default:"
              + " none.")
  private List<String> labelKeys = List.of();

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  /** Sets the value of {@code -o}. */
  final void choose(OutputFormat chosen) {
    format = chosen;
  }

  OutputFormat format() {
    return format;
  }

  /** Returns whether the output is a table. */
  boolean isTable() {
    return format == OutputFormat.Named.TABLE
        || format == OutputFormat.Named.WIDE
        || format instanceof OutputFormat.Columns;
  }

  /**
   * Throws if options for tables are combined with another format, or if a template is written for
   * a List: templates are applied to each object separately.
   */
  void check() {
    if (format instanceof OutputFormat.Path(JsonPathTemplate template)
        && template.beginsWith("items")) {
      throw UsageError.of(
          command,
          "-o jsonpath: the template is for each object by itself, not for a List; leave .items[*]"
              + " out: {.metadata.name}");
    }
    if (!isTable() && (noHeaders || showLabels || !labelKeys.isEmpty())) {
      throw UsageError.of(
          command,
          (noHeaders ? "--no-headers" : showLabels ? "--show-labels" : "-L")
              + " is for tables: -o table, wide or custom-columns");
    }
  }

  /** Returns the style of rows on stdout. */
  RowStyle style(Stdio stdio) {
    return color.styleFor(stdio);
  }

  /** Returns the formats, for errors, that do with a part of each object. */
  abstract String formatsOfParts();

  /** Returns whether {@code -o} differs from the default. */
  boolean isChosen() {
    return format != OutputFormat.Named.TABLE;
  }

  /** Returns the view of objects that the format needs. */
  ObjectView view() {
    return format == OutputFormat.Named.JSON
        ? ObjectView.OBJECT_VIEW_FULL
        : ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS;
  }

  /** Returns an output for an endless stream of events. */
  EventOutput forEvents(Stdio stdio, Set<Extra> extras, WatchClient client) {
    return output(YamlOutput.Content.EVENT, stdio, extras, color.styleFor(stdio), client);
  }

  /** Returns an output for the objects of a list, which have no change signs. */
  EventOutput forList(Stdio stdio, Set<Extra> extras, WatchClient client) {
    return output(YamlOutput.Content.OBJECT, stdio, extras, RowStyle.PLAIN, client);
  }

  private EventOutput output(
      YamlOutput.Content content,
      Stdio stdio,
      Set<Extra> extras,
      RowStyle style,
      WatchClient client) {
    OutputStream out = stdio.out();
    return switch (format) {
      case OutputFormat.Path(JsonPathTemplate template) -> new JsonPathOutput(out, template, style);
      case OutputFormat.Columns columns -> table(stdio, shape(extras), style, client);
      case OutputFormat.Named named ->
          switch (named) {
            case TABLE, WIDE -> table(stdio, shape(extras), style, client);
            case JSON ->
                content == YamlOutput.Content.EVENT ? new JsonOutput(out) : new JsonListOutput(out);
            case YAML -> new YamlOutput(out, content);
            case NAME -> new NameOutput(out, style);
            case DIFF -> new DiffOutput(out, style);
          };
    };
  }

  /** Returns the shape of a table with these columns, and those of the options. */
  TableShape shape(Set<Extra> extras) {
    Set<Extra> all = EnumSet.noneOf(Extra.class);
    all.addAll(extras);
    if (showLabels) {
      all.add(Extra.LABELS);
    }
    Width width = format == OutputFormat.Named.WIDE ? Width.WIDE : Width.NARROW;
    Header header = noHeaders ? Header.OMITTED : Header.PRINTED;
    if (format instanceof OutputFormat.Columns(List<PathColumn> columns)) {
      all.remove(Extra.NAMESPACE); // custom columns are those that are asked for
      return new TableShape(all, width, columns, labelKeys, header);
    }
    return new TableShape(all, width, List.of(), labelKeys, header);
  }

  private static TableOutput table(
      Stdio stdio, TableShape shape, RowStyle style, WatchClient client) {
    ColumnLookup columns = new ColumnLookup(client, stdio);
    return new TableOutput(stdio.out(), stdio.clock(), shape, style, columns::columnsFor);
  }

  /** Output options of {@code watch}, which has every format. */
  static final class OfWatch extends OutputOptions {
    @Option(
        names = {"-o", "--output"},
        paramLabel = "FORMAT",
        converter = OutputFormatConverter.class,
        completionCandidates = OutputFormatConverter.Words.class,
        description =
            "table; wide: with further columns; json: the objects as the apiserver sends them;"
                + " yaml: without managedFields; name; jsonpath=TEMPLATE: see below;"
                + " custom-columns=HEADER:PATH,...: a table with these columns; diff: the fields"
                + " that changed, by their paths. Default: table.")
    void setFormat(OutputFormat format) {
      choose(format);
    }

    @Override
    String formatsOfParts() {
      return "json, yaml, name, jsonpath=TEMPLATE or diff";
    }
  }

  /** Output options of {@code list}, which has every format but {@code diff}. */
  static final class OfList extends OutputOptions {
    @Option(
        names = {"-o", "--output"},
        paramLabel = "FORMAT",
        converter = OutputFormatConverter.OfLists.class,
        completionCandidates = OutputFormatConverter.WordsOfLists.class,
        description =
            "table; wide: with further columns; json: one List of the objects as the apiserver"
                + " sends them, with the age of the state in an annotation; yaml: a document for"
                + " each object, without managedFields; name; jsonpath=TEMPLATE: see 'watchgate"
                + " watch --help';"
                + " custom-columns=HEADER:PATH,...: a table with these columns. Default: table.")
    void setFormat(OutputFormat format) {
      choose(format);
    }

    @Override
    String formatsOfParts() {
      return "json, yaml, name or jsonpath=TEMPLATE";
    }
  }
}
