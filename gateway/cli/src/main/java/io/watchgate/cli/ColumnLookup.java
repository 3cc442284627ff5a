package io.watchgate.cli;

import io.grpc.StatusRuntimeException;
import io.watchgate.cache.CustomColumn;
import io.watchgate.client.WatchClient;
import io.watchgate.proto.v1.ServedType;
import io.watchgate.table.JsonView;
import io.watchgate.table.TypeColumns;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * Columns of tables. Columns of built-in types are known; those of custom resources are requested
 * from the gateway. If the gateway does not answer in time, or knows none, the columns are name and
 * age.
 */
final class ColumnLookup {
  /** Short, because the first row waits for the answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final WatchClient client;
  private final Duration timeout;

  ColumnLookup(WatchClient client, Stdio stdio) {
    this.client = client;
    this.timeout = stdio.lookupTimeout(TIMEOUT);
  }

  /** Returns the columns for objects like this one. May block for 3 s. */
  TypeColumns columnsFor(JsonView object) {
    String apiVersion = object.get("apiVersion").text();
    String kind = object.get("kind").text();
    int slash = apiVersion.indexOf('/');
    // The group of a custom resource contains a dot.
    boolean mayBeCustom = slash > 0 && apiVersion.lastIndexOf('.', slash) > 0;
    return mayBeCustom && !TypeColumns.hasBuiltInColumns(apiVersion, kind)
        ? TypeColumns.of(
            apiVersion,
            kind,
            customColumns(apiVersion.substring(0, slash), apiVersion.substring(slash + 1), kind))
        : TypeColumns.of(apiVersion, kind);
  }

  /**
   * Returns the columns of this version, or of another version if the gateway does not name this
   * one.
   */
  private List<CustomColumn> customColumns(String group, String version, String kind) {
    try {
      return client.listResourceTypes(timeout).getTypesList().stream()
          .filter(type -> type.getKind().equals(kind))
          .filter(type -> type.getResourceType().getGroup().equals(group))
          .min(Comparator.comparing(type -> !type.getResourceType().getVersion().equals(version)))
          .map(ColumnLookup::columns)
          .orElse(List.of());
    } catch (StatusRuntimeException e) {
      return List.of();
    }
  }

  private static List<CustomColumn> columns(ServedType type) {
    return type.getPrinterColumnsList().stream()
        .map(
            column ->
                new CustomColumn(
                    column.getName(),
                    column.getType(),
                    column.getFormat(),
                    column.getDescription(),
                    column.getPriority(),
                    column.getJsonPath()))
        .toList();
  }
}
