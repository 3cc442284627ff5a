package io.watchgate.check;

import java.util.List;

/**
 * One stream, from its opening to its end.
 *
 * @param name for a person
 * @param minimum the version that had to be held before it began; NONE: any
 * @param history that {@code start} belongs to
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
  /** What is done with who is behind. */
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
