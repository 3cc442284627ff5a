package io.watchgate.check;

import java.util.List;

/**
 * One stream, from its opening to its end.
 *
 * @param name name for a person
 * @param minimum version that the gateway had to reach before the stream began; NONE: any
 * @param history ID of the history to which {@code start} belongs
 */
public record Session(
    String name,
    SelectionSpec query,
    ProjectionSpec shape,
    Policy policy,
    StartSpec start,
    CheckedVersion minimum,
    String history,
    List<RecordedMessage> heard) {
  /** Policy for a lagging stream. */
  public enum Policy {
    RESYNC,
    CONFLATE,
    DISCONNECT
  }

  public Session {
    heard = List.copyOf(heard);
  }

  @Override
  public String toString() {
    return "%s: %s as %s, %s, %s".formatted(name, query, shape, policy, start);
  }
}
