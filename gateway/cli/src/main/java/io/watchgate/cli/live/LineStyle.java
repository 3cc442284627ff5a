package io.watchgate.cli.live;

/** Style of a line on a terminal. */
enum LineStyle {
  PLAIN(""),
  BOLD("1"),
  DIM("2"),
  ADDED("32"),
  CHANGED("33"),
  DELETED("31");

  private final String code;

  LineStyle(String code) {
    this.code = code;
  }

  String of(String line) {
    return code.isEmpty() ? line : "\033[" + code + "m" + line + "\033[0m";
  }
}
