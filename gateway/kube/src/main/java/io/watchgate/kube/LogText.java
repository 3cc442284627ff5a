package io.watchgate.kube;

import java.time.Duration;

/** Conversion of foreign text to one line of the log. */
final class LogText {
  /** Maximum length of a server's text. */
  private static final int MAX = 300;

  private LogText() {}

  /** Returns one line, without control characters, of at most 300 characters. */
  static String singleLine(String text) {
    String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return line.length() <= MAX ? line : line.substring(0, MAX - 1) + "…";
  }

  /** Returns the last 300 characters of a line. */
  static String tail(String line) {
    return line.length() <= MAX ? line : "…" + line.substring(line.length() - MAX + 1);
  }

  static String duration(Duration duration) {
    long millis = duration.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }
}
