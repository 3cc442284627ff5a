package io.watchgate.cli;

import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.util.List;

/** Writes events to stdout, all of a response at once. Not thread-safe. */
sealed interface EventOutput permits TableOutput, JsonOutput, NameOutput {
  /** The name of an output on the command line. */
  enum Format {
    TABLE,
    JSON,
    NAME
  }

  void write(List<WatchEvent> events) throws IOException;

  /** {@code ADDED}, {@code MODIFIED}, {@code DELETED}. */
  static String type(WatchEvent event) {
    return event.getType().name().substring("EVENT_TYPE_".length());
  }
}
