package io.watchgate.cli.output;

import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Writes events, all of an update at once, and flushes. Not thread-safe. */
public interface EventOutput extends AutoCloseable {
  /** What events are part of. */
  enum Part {
    /** What is there. */
    SNAPSHOT,
    /** What happened. */
    CHANGES
  }

  /**
   * Writes them.
   *
   * @throws IOException when stdout takes no more
   */
  void write(Part part, List<WatchEvent> events) throws IOException;

  /** Takes note of what is there and is not to be printed. */
  default void learn(List<WatchEvent> objects) {}

  /** Everything was written, of a list that ends. */
  default void finish(ListEnd end) throws IOException {}

  /**
   * Facts about a list as a whole.
   *
   * @param age time since the apiserver last confirmed the state
   * @param upstreamError what keeps the gateway from the apiserver; empty if nothing is known to
   */
  record ListEnd(String resourceVersion, Duration age, String upstreamError) {}

  /** Ends what it may be busy with; nothing is written afterwards. From any thread. */
  @Override
  default void close() {}
}
