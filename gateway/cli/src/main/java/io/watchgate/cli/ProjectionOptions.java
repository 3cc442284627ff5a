package io.watchgate.cli;

import io.watchgate.cli.output.OutputFormat;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of all commands that print objects, for the parts of an object to be sent. */
@OptionGroup("Parts of objects")
final class ProjectionOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--view",
      paramLabel = "VIEW",
      converter = ObjectViewConverter.class,
      completionCandidates = ObjectViewConverter.Words.class,
      description =
          "Part of each object that is sent: full; no-managed-fields; metadata: apiVersion, kind"
              + " and metadata; key: nothing but its names, for watch with -- COMMAND. Default:"
              + " what FORMAT needs.")
  private Optional<ObjectView> view = Optional.empty();

  @Option(
      names = "--include-pointer",
      paramLabel = "POINTER",
      description =
          "Send this part of each object, and what identifies it, no more (RFC 6901:"
              + " /status/phase, /metadata/annotations/example.com~1owner); may be given again; not"
              + " with --view. Default: all.")
  private List<String> pointers = List.of();

  /** Returns the projection for an output format. */
  Projection forOutput(OutputOptions output) {
    OutputFormat format = output.format();
    if (isPartial() && (format == OutputFormat.Named.TABLE || format == OutputFormat.Named.WIDE)) {
      throw UsageError.of(
          command,
          chosenOption()
              + ": the columns of a table need the whole object; choose -o "
              + output.formatsOfParts());
    }
    if (isKeyOnly()) {
      throw UsageError.of(
          command, "--view key sends no object to print; it is for watch with -- COMMAND");
    }
    return projection(output.view());
  }

  /** Returns the projection for a command, which receives full objects. */
  Projection forCommand() {
    return projection(ObjectView.OBJECT_VIEW_FULL);
  }

  /** Returns whether objects are sent without a body. */
  boolean isKeyOnly() {
    return view.filter(ObjectView.OBJECT_VIEW_KEY::equals).isPresent();
  }

  private boolean isPartial() {
    return !pointers.isEmpty() || view.filter(ObjectView.OBJECT_VIEW_METADATA::equals).isPresent();
  }

  private String chosenOption() {
    return view.map(chosen -> "--view " + ObjectViewConverter.word(chosen))
        .orElse("--include-pointer");
  }

  private Projection projection(ObjectView needed) {
    if (view.isPresent() && !pointers.isEmpty()) {
      throw UsageError.of(command, "--view and --include-pointer exclude each other");
    }
    return pointers.isEmpty()
        ? Projection.newBuilder().setView(view.orElse(needed)).build()
        : Projection.newBuilder().addAllIncludePointers(pointers).build();
  }
}
