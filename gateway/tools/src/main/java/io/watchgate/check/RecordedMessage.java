package io.watchgate.check;

import java.util.List;

/** A message of a stream; messages are recorded in their order. */
public sealed interface RecordedMessage {
  /** Returns the time of receipt, in nanoseconds of a monotonic clock of this process. */
  long nanos();

  /**
   * A response.
   *
   * @param version resourceVersion; NONE: not set
   * @param token resume token in hexadecimal digits; empty: not set
   */
  record Response(
      long nanos,
      List<RecordedEvent> events,
      CheckedVersion version,
      String token,
      RecordedSignal signal)
      implements RecordedMessage {
    public Response {
      events = List.copyOf(events);
    }

    boolean hasPosition() {
      return !version.equals(CheckedVersion.NONE);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append(signal == RecordedSignal.Plain.NONE ? "changes" : signal.toString());
      events.forEach(event -> text.append("\n      ").append(event));
      text.append("\n      ").append(hasPosition() ? "position " + version : "no position");
      return text.toString();
    }
  }

  /**
   * A response with content that the contract does not define, and a description of the content.
   */
  record Unreadable(long nanos, String reason) implements RecordedMessage {
    @Override
    public String toString() {
      return "unreadable: " + reason;
    }
  }

  /**
   * The end of the stream by the server.
   *
   * @param code gRPC status code
   * @param reason reason as defined by the contract; empty: none
   * @param action action as defined by the contract; empty: none
   */
  record Ended(long nanos, String code, String reason, String action) implements RecordedMessage {
    @Override
    public String toString() {
      return "ended with %s %s %s".formatted(code, reason, action).replaceAll(" +", " ").strip();
    }
  }
}
