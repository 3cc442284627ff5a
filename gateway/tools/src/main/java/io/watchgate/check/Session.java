package io.watchgate.check;

import java.util.List;

/**
 * One stream, from its opening to its end.
 *
 * @param name name for a person
 * @param minimumVersion version that the gateway had to reach before the stream began; NONE: any
 * @param history ID of the history to which {@code start} belongs
 */
public record Session(
    String name,
    SelectionSpec selection,
    ProjectionSpec projection,
    Policy policy,
    StartSpec start,
    CheckedVersion minimumVersion,
    String history,
    List<RecordedMessage> messages) {
  /** Policy for a lagging stream. */
  public enum Policy {
    RESYNC,
    CONFLATE,
    DISCONNECT
  }

  public Session {
    messages = List.copyOf(messages);
  }

  @Override
  public String toString() {
    return "%s: %s as %s, %s, %s".formatted(name, selection, projection, policy, start);
  }
}
