package io.watchgate.cli;

import io.watchgate.cli.output.DiffOutput;
import io.watchgate.cli.output.EventOutput;
import io.watchgate.cli.output.JsonListOutput;
import io.watchgate.cli.output.JsonOutput;
import io.watchgate.cli.output.NameOutput;
import io.watchgate.cli.output.OutputFormat;
import io.watchgate.cli.output.PathOutput;
import io.watchgate.cli.output.Style;
import io.watchgate.cli.output.TableOutput;
import io.watchgate.cli.output.TableOutput.Extra;
import io.watchgate.cli.output.YamlOutput;
import io.watchgate.cli.path.PathTemplate;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.table.Columns.Width;
import java.io.OutputStream;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** How something is printed, of every command that prints objects. */
final class OutputOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormats.class,
      completionCandidates = OutputFormats.Words.class,
      description =
          "table; wide: with further columns; json: the objects as the apiserver sends them; yaml:"
              + " without managedFields; name; jsonpath=TEMPLATE: see below; diff: the fields that"
              + " changed, by their paths. Default: table.")
  private OutputFormat format = OutputFormat.Named.TABLE;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      description =
          "auto: on a terminal, unless NO_COLOR is set or TERM=dumb; always; never. Default: auto.")
  private ColourChoice colour = ColourChoice.AUTO;

  OutputFormat format() {
    return format;
  }

  /** Whether it was given. */
  boolean isChosen() {
    return format != OutputFormat.Named.TABLE;
  }

  /** What objects must come with for it. */
  ObjectView view() {
    return format == OutputFormat.Named.JSON
        ? ObjectView.OBJECT_VIEW_FULL
        : ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS;
  }

  /** For events, without end. */
  EventOutput forEvents(Stdio stdio, Set<Extra> extras) {
    Style style = colour.on(stdio);
    OutputStream out = stdio.out();
    return switch (format) {
      case OutputFormat.Path(PathTemplate template) -> new PathOutput(out, template, style);
      case OutputFormat.Named named ->
          switch (named) {
            case TABLE -> new TableOutput(out, stdio.clock(), extras, Width.NARROW, style);
            case WIDE -> new TableOutput(out, stdio.clock(), extras, Width.WIDE, style);
            case JSON -> new JsonOutput(out);
            case YAML -> new YamlOutput(out, YamlOutput.Content.EVENT);
            case NAME -> new NameOutput(out, style);
            case DIFF -> new DiffOutput(out, style);
          };
    };
  }

  /** For the objects of a list; empty where they have no such form. */
  Optional<EventOutput> forList(Stdio stdio, Set<Extra> extras) {
    OutputStream out = stdio.out();
    // What is there bears no signs.
    Style style = Style.PLAIN;
    return switch (format) {
      case OutputFormat.Path(PathTemplate template) ->
          Optional.of(new PathOutput(out, template, style));
      case OutputFormat.Named named ->
          switch (named) {
            case TABLE ->
                Optional.of(new TableOutput(out, stdio.clock(), extras, Width.NARROW, style));
            case WIDE ->
                Optional.of(new TableOutput(out, stdio.clock(), extras, Width.WIDE, style));
            case JSON -> Optional.of(new JsonListOutput(out));
            case YAML -> Optional.of(new YamlOutput(out, YamlOutput.Content.OBJECT));
            case NAME -> Optional.of(new NameOutput(out, style));
            case DIFF -> Optional.empty();
          };
    };
  }
}
