package io.watchgate.check;

import java.util.List;

/**
 * One stream, from its opening to its end.
 *
 * @param name name for a person
 * @param history ID of the history to which the start belongs
 */
public record Session(
    String name, Request request, String history, List<RecordedMessage> messages) {
  /**
   * Request that opened the stream.
   *
   * @param minimumVersion version that the gateway had to reach before the stream began; NONE: any
   */
  public record Request(
      SelectionSpec selection,
      ProjectionSpec projection,
      Policy policy,
      StartSpec start,
      CheckedVersion minimumVersion) {
    @Override
    public String toString() {
      return "%s as %s, %s, %s".formatted(selection, projection, policy, start);
    }
  }

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
    return name + ": " + request;
  }
}
