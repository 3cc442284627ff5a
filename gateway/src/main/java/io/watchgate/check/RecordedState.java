package io.watchgate.check;

import java.util.Map;

/**
 * An object at a version, as far as it matters here.
 *
 * @param fields what may be asked for by a field selector, by its path; absent: empty
 * @param contents a digest of the object in each shape that somebody asked for, less its version
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
