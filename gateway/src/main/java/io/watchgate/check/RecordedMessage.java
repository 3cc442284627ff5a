package io.watchgate.check;

import java.util.List;

/** What came over a stream, in its order. */
public sealed interface RecordedMessage {
  /** When, on a monotonic clock of this process, in nanoseconds. */
  long nanos();

  /**
   * A response.
   *
   * @param version NONE: none was set
   * @param token in hexadecimal digits; empty: none was set
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

  /** A response that says what the contract does not know, and what that is. */
  record Unreadable(long nanos, String why) implements RecordedMessage {
    @Override
    public String toString() {
      return "unreadable: " + why;
    }
  }

  /**
   * The end, said by the other side.
   *
   * @param code of gRPC
   * @param reason of the contract; empty: none was given
   * @param action the same
   */
  record Ended(long nanos, String code, String reason, String action) implements RecordedMessage {
    @Override
    public String toString() {
      return "ended with %s %s %s".formatted(code, reason, action).replaceAll(" +", " ").strip();
    }
  }
}
