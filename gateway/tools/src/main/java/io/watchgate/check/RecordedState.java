package io.watchgate.check;

import java.util.Map;

/**
 * An object at a version, reduced to the data that checks need.
 *
 * @param fields values of selectable fields by path; absent: empty
 * @param contents digest of the object without its version, by each requested projection
 */
public record RecordedState(
    RecordedKey key,
    String uid,
    CheckedVersion version,
    Map<String, String> labels,
    Map<String, String> fields,
    Map<ProjectionSpec, String> contents) {
  public RecordedState {
    labels = Map.copyOf(labels);
    fields = Map.copyOf(fields);
    contents = Map.copyOf(contents);
  }
}
