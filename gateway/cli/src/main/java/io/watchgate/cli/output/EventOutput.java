package io.watchgate.cli.output;

import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Writer of events. Writes all events of an update at once, and flushes. Not thread-safe. */
public interface EventOutput extends AutoCloseable {
  /** Part of the stream that events belong to. */
  enum Part {
    /** Objects that exist at the start. */
    SNAPSHOT,
    /** Changes of objects. */
    CHANGES
  }

  /**
   * Writes events.
   *
   * @throws IOException if stdout cannot be written
   */
  void write(Part part, List<WatchEvent> events) throws IOException;

  /** Writes a text at once, and flushes. */
  static void print(OutputStream out, CharSequence text) throws IOException {
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Takes in objects that exist and are not to be printed. */
  default void learn(List<WatchEvent> objects) {}

  /** Completes a list after its last object is written. */
  default void finish(ListEnd end) throws IOException {}

  /**
   * Properties of a complete list.
   *
   * @param resourceVersion empty if the list is of several types
   * @param age time since the apiserver last confirmed the state
   * @param upstreamError failure that keeps the gateway from the apiserver; empty if none is known
   */
  record ListEnd(String resourceVersion, Duration age, String upstreamError) {}

  /** Ends a running operation; nothing is written afterwards. Callable from any thread. */
  @Override
  default void close() {}
}
