package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writer of a JSON patch, with the path to the current value. Not thread-safe. */
final class PatchWriter {
  private static final byte[] ADD = ascii("{\"op\":\"add\",\"path\":\"");
  private static final byte[] REMOVE = ascii("{\"op\":\"remove\",\"path\":\"");
  private static final byte[] REPLACE = ascii("{\"op\":\"replace\",\"path\":\"");
  private static final byte[] VALUE = ascii("\",\"value\":");
  private static final byte[] END_OF_PATH = ascii("\"}");

  private byte[] patch = new byte[512];
  private int length;

  /** Path as escaped content of a JSON string. */
  private byte[] path = new byte[128];

  private int pathLength;

  PatchWriter() {
    patch[length++] = '[';
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  int length() {
    return length;
  }

  int pathLength() {
    return pathLength;
  }

  /** Discards the end of the patch, back to an earlier length. */
  void truncate(int earlierLength) {
    length = earlierLength;
  }

  /** Shortens the path to an earlier length. */
  void truncatePath(int earlierLength) {
    pathLength = earlierLength;
  }

  /** Appends a member to the path. */
  void enter(JsonIndex index, int member) throws JsonException {
    int from = index.nameFrom(member);
    int to = index.nameTo(member);
    byte[] bytes = index.bytes();
    path = ensureCapacity(path, pathLength, 1 + 2 * (to - from));
    path[pathLength++] = '/';
    int begin = pathLength;
    for (int i = from; i < to; i++) {
      switch (bytes[i]) {
        case '~' -> pathEscape('0');
        case '/' -> pathEscape('1');
        case '\\' -> {
          pathLength = begin;
          enterEscaped(index.name(member));
          return;
        }
        default -> path[pathLength++] = bytes[i];
      }
    }
  }

  private void pathEscape(char kind) {
    path[pathLength++] = '~';
    path[pathLength++] = (byte) kind;
  }

  /** Appends a name that was escaped, with the escapes of a path. */
  private void enterEscaped(String name) {
    StringBuilder text = new StringBuilder();
    String pointer = name.replace("~", "~0").replace("/", "~1");
    for (int i = 0; i < pointer.length(); i++) {
      char c = pointer.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < pointer.length()
          && Character.isLowSurrogate(pointer.charAt(i + 1))) {
        text.append(c).append(pointer.charAt(++i));
      } else if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        text.append("\\u%04x".formatted((int) c));
      } else {
        text.append(c);
      }
    }
    byte[] escaped = text.toString().getBytes(StandardCharsets.UTF_8);
    path = ensureCapacity(path, pathLength, escaped.length);
    System.arraycopy(escaped, 0, path, pathLength, escaped.length);
    pathLength += escaped.length;
  }

  /** Appends an element to the path. */
  void enter(int element) {
    byte[] digits = ascii("/" + element);
    path = ensureCapacity(path, pathLength, digits.length);
    System.arraycopy(digits, 0, path, pathLength, digits.length);
    pathLength += digits.length;
  }

  /** Writes that a value is added at the path. */
  void add(JsonIndex index, int value) {
    begin(ADD);
    value(index, value);
  }

  /** Writes that the value at the path is replaced. */
  void replace(JsonIndex index, int value) {
    begin(REPLACE);
    value(index, value);
  }

  /** Returns the length that {@link #replace} would add to the patch. */
  int replaceLength(JsonIndex index, int value) {
    return 1 + REPLACE.length + pathLength + VALUE.length + index.length(value) + 1;
  }

  /** Writes that the value at the path is removed. */
  void remove() {
    begin(REMOVE);
    write(END_OF_PATH, 0, END_OF_PATH.length);
  }

  private void begin(byte[] operation) {
    if (length > 1) {
      write(ascii(","), 0, 1);
    }
    write(operation, 0, operation.length);
    write(path, 0, pathLength);
  }

  private void value(JsonIndex index, int value) {
    write(VALUE, 0, VALUE.length);
    write(index.bytes(), index.from(value), index.to(value));
    write(ascii("}"), 0, 1);
  }

  private void write(byte[] bytes, int from, int to) {
    patch = ensureCapacity(patch, length, to - from);
    System.arraycopy(bytes, from, patch, length, to - from);
    length += to - from;
  }

  private static byte[] ensureCapacity(byte[] array, int used, int more) {
    return used + more <= array.length
        ? array
        : Arrays.copyOf(array, Math.max(used + more, 2 * array.length));
  }

  /** Returns the complete patch; may be called once. */
  byte[] finish() {
    write(ascii("]"), 0, 1);
    return Arrays.copyOf(patch, length);
  }
}
