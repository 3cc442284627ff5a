package io.watchgate.cli;

import io.watchgate.cli.output.OutputFormat;
import picocli.CommandLine.Option;

/** Output options of {@code watch}, which has every format. */
final class WatchOutputOptions extends OutputOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormatConverter.class,
      completionCandidates = OutputFormatConverter.Words.class,
      description =
          "table; wide: with further columns; json: the objects as the apiserver sends them; yaml:"
              + " without managedFields; name; jsonpath=TEMPLATE: see below; diff: the fields that"
              + " changed, by their paths. Default: table.")
  void setFormat(OutputFormat format) {
    choose(format);
  }
}
