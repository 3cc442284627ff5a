package io.watchgate.cli.output;

import io.watchgate.browser.WatchEventJson;
import io.watchgate.proto.v1.EventType;

/**
 * Decoration of rows. Its colors are readable on a white and on a black terminal, which yellow,
 * cyan, white and blue are not.
 */
public enum RowStyle {
  /** Text only, for programs. */
  PLAIN,
  /** A sign before each row: + added, ~ modified, - deleted. */
  SIGNS,
  /** Signs and colors. */
  COLORS;

  private static final String RESET = "\033[0m";
  private static final String GREEN = "\033[32m";
  private static final String MAGENTA = "\033[35m";
  private static final String RED = "\033[31m";
  private static final String BOLD = "\033[1m";

  /** Returns the line of a header, without a newline. */
  String header(String line) {
    return switch (this) {
      case PLAIN -> line;
      case SIGNS -> "  " + line;
      case COLORS -> BOLD + "  " + line + RESET;
    };
  }

  /** Returns the line of an event, without a newline. */
  String row(EventOutput.Part part, EventType type, String line) {
    if (this == PLAIN) {
      return line;
    }
    return part == EventOutput.Part.SNAPSHOT ? "  " + line : paint(type, sign(type) + " " + line);
  }

  /** Returns the text in the color of a type of event. */
  String paint(EventType type, String text) {
    if (this != COLORS) {
      return text;
    }
    return switch (type) {
      case EVENT_TYPE_ADDED -> GREEN + text + RESET;
      case EVENT_TYPE_MODIFIED -> MAGENTA + text + RESET;
      case EVENT_TYPE_DELETED -> RED + text + RESET;
      case EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> text;
    };
  }

  /** Returns {@code +}, {@code ~} or {@code -}. */
  public static char sign(EventType type) {
    return switch (type) {
      case EVENT_TYPE_ADDED -> '+';
      case EVENT_TYPE_MODIFIED -> '~';
      case EVENT_TYPE_DELETED -> '-';
      case EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> ' ';
    };
  }

  /** Returns {@code ADDED}, {@code MODIFIED} or {@code DELETED}. */
  static String name(EventType type) {
    return WatchEventJson.name(type);
  }
}
