package io.watchgate.cli.output;

import io.watchgate.path.PathTemplate;

/** What {@code -o} asks for. */
public sealed interface OutputFormat {
  /** Those that are but a name. */
  enum Named implements OutputFormat {
    TABLE,
    WIDE,
    JSON,
    YAML,
    NAME,
    DIFF
  }

  /** {@code jsonpath=…}. */
  record Path(PathTemplate template) implements OutputFormat {}
}
