package io.watchgate.cli.output;

import io.watchgate.path.PathTemplate;

/** Value of {@code -o}. */
public sealed interface OutputFormat {
  /** Formats without a parameter. */
  enum Named implements OutputFormat {
    TABLE,
    WIDE,
    JSON,
    YAML,
    NAME,
    DIFF
  }

  /** Format {@code jsonpath=…}. */
  record Path(PathTemplate template) implements OutputFormat {}
}
