package io.watchgate.cli.output;

import io.watchgate.jsonpath.JsonPathTemplate;
import java.util.List;

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

  /** Format {@code custom-columns=…}: a table with these columns. */
  record Columns(List<PathColumn> columns) implements OutputFormat {
    public Columns {
      columns = List.copyOf(columns);
    }
  }

  /** Format {@code jsonpath=…}. */
  record Path(JsonPathTemplate template) implements OutputFormat {}
}
