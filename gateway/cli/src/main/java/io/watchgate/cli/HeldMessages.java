package io.watchgate.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Messages that are printed later, the last 64 Ki characters of them. Thread-safe. */
final class HeldMessages {
  private static final int MAX_CHARS = 1 << 16;

  private final InstantSource clock;
  private final StringBuilder text = new StringBuilder();
  private Instant lastAt = Instant.EPOCH;

  HeldMessages(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns a stream that adds whole writes. */
  PrintStream stream() {
    return new PrintStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            add(String.valueOf((char) b));
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            add(new String(bytes, from, length, StandardCharsets.UTF_8));
          }
        },
        true,
        StandardCharsets.UTF_8);
  }

  private synchronized void add(String more) {
    text.append(more);
    lastAt = clock.instant();
    if (text.length() > MAX_CHARS) {
      int line = text.indexOf("\n", text.length() - MAX_CHARS);
      text.delete(0, line + 1);
    }
  }

  /** Returns the first line of the last message, if it is not older than {@code age}. */
  synchronized Optional<String> last(Duration age) {
    if (lastAt.plus(age).isBefore(clock.instant())) {
      return Optional.empty();
    }
    int start = text.lastIndexOf("watchgate: ");
    int end = text.indexOf("\n", Math.max(0, start));
    return start < 0 || end < 0 ? Optional.empty() : Optional.of(text.substring(start, end));
  }

  /** Returns all messages, and forgets them. */
  synchronized String take() {
    String all = text.toString();
    text.setLength(0);
    return all;
  }
}
