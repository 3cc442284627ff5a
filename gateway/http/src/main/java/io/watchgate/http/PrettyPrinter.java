package io.watchgate.http;

/**
 * Printer of JSON in lines, indented by two spaces, as Go's {@code MarshalIndent}. It accepts
 * pieces of any size and buffers nothing. The bytes must be JSON; white space outside of strings is
 * removed. Not thread-safe.
 */
final class PrettyPrinter {
  private int depth;
  private boolean inString;
  private boolean escaped;

  /** The last token opened an object or array. If it is closed next, it stays on its line. */
  private boolean opened;

  void print(byte[] json, int from, int to, ByteBuilder out) {
    for (int i = from; i < to; i++) {
      char c = (char) (json[i] & 0xff);
      if (inString) {
        out.append(c);
        inString = escaped || c != '"';
        escaped = !escaped && c == '\\';
      } else if (c > ' ') {
        token(c, out);
      }
    }
  }

  private void token(char c, ByteBuilder out) {
    boolean closes = c == '}' || c == ']';
    if (closes) {
      depth--;
    }
    if (opened != closes) {
      line(out); // into an object or array that is not empty, or out of it
    }
    opened = c == '{' || c == '[';
    out.append(c);
    switch (c) {
      case '{', '[' -> depth++;
      case ',' -> line(out);
      case ':' -> out.append(' ');
      case '"' -> inString = true;
      default -> {}
    }
  }

  private void line(ByteBuilder out) {
    out.append('\n');
    for (int i = 0; i < depth; i++) {
      out.append(' ').append(' ');
    }
  }
}
