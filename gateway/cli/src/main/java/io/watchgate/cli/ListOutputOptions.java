package io.watchgate.cli;

import io.watchgate.cli.output.OutputFormat;
import picocli.CommandLine.Option;

/** Output options of {@code list}, which has every format but {@code diff}. */
final class ListOutputOptions extends OutputOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormatConverter.OfLists.class,
      completionCandidates = OutputFormatConverter.WordsOfLists.class,
      description =
          "table; wide: with further columns; json: one List of the objects as the apiserver sends"
              + " them, with the age of the state in an annotation; yaml: a document for each"
              + " object, without managedFields; name; jsonpath=TEMPLATE: see below. Default:"
              + " table.")
  void setFormat(OutputFormat format) {
    choose(format);
  }
}
