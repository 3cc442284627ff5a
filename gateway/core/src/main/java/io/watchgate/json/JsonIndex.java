package io.watchgate.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Index of the offsets of all values of a JSON document. Values are numbered in the order of the
 * text, from 0, the document itself; the contents of a value follow the value. Immutable once read.
 */
final class JsonIndex {
  /**
   * Maximum depth. No Kubernetes type nests deeper, and documents of arbitrary depth are not worth
   * a diff.
   */
  static final int MAX_DEPTH = 64;

  private static final int FROM = 0;
  private static final int TO = 1;
  private static final int AFTER = 2;
  private static final int NAME_FROM = 3;
  private static final int NAME_TO = 4;
  private static final int STRIDE = 5;

  private final byte[] bytes;
  private final JsonScanner scanner;
  private int[] marks;
  private int count;

  private final int maxDepth;

  private JsonIndex(byte[] bytes, int maxDepth) {
    this.bytes = bytes;
    this.maxDepth = maxDepth;
    this.scanner = new JsonScanner(bytes, 0, bytes.length);
    this.marks = new int[STRIDE * (16 + bytes.length / 20)];
  }

  /**
   * Indexes a document.
   *
   * @throws JsonException if it is no JSON document, or nested deeper than {@link #MAX_DEPTH}
   */
  static JsonIndex of(byte[] document) throws JsonException {
    return of(document, MAX_DEPTH);
  }

  /** Indexes a document with another maximum depth. */
  static JsonIndex of(byte[] document, int maxDepth) throws JsonException {
    JsonIndex index = new JsonIndex(document, maxDepth);
    index.readValue(0);
    index.scanner.expectEnd();
    return index;
  }

  private void readValue(int depth) throws JsonException {
    if (depth > maxDepth) {
      throw new JsonException("nested deeper than " + maxDepth);
    }
    int number = count++;
    if (STRIDE * count > marks.length) {
      marks = Arrays.copyOf(marks, 2 * marks.length);
    }
    byte first = scanner.peek();
    mark(number, FROM, scanner.position());
    switch (first) {
      case '{' -> readMembers(depth);
      case '[' -> readElements(depth);
      default -> scanner.skip();
    }
    mark(number, TO, scanner.position());
    mark(number, AFTER, count);
  }

  private void readMembers(int depth) throws JsonException {
    scanner.expect('{');
    if (scanner.accept('}')) {
      return;
    }
    do {
      scanner.readString();
      int from = scanner.stringFrom;
      int to = scanner.stringTo;
      scanner.expect(':');
      int member = count;
      readValue(depth + 1);
      mark(member, NAME_FROM, from);
      mark(member, NAME_TO, to);
    } while (scanner.accept(','));
    scanner.expect('}');
  }

  private void readElements(int depth) throws JsonException {
    scanner.expect('[');
    if (scanner.accept(']')) {
      return;
    }
    do {
      readValue(depth + 1);
    } while (scanner.accept(','));
    scanner.expect(']');
  }

  private void mark(int number, int component, int at) {
    marks[STRIDE * number + component] = at;
  }

  private int get(int number, int component) {
    return marks[STRIDE * number + component];
  }

  byte[] bytes() {
    return bytes;
  }

  int from(int number) {
    return get(number, FROM);
  }

  int to(int number) {
    return get(number, TO);
  }

  int length(int number) {
    return to(number) - from(number);
  }

  boolean isObject(int number) {
    return bytes[from(number)] == '{';
  }

  boolean isArray(int number) {
    return bytes[from(number)] == '[';
  }

  boolean isString(int number) {
    return bytes[from(number)] == '"';
  }

  boolean isNumber(int number) {
    byte first = bytes[from(number)];
    return first == '-' || (first >= '0' && first <= '9');
  }

  /** Returns the text of a string, escapes resolved. */
  String text(int number) throws JsonException {
    return JsonScanner.decode(bytes, from(number) + 1, to(number) - 1);
  }

  /** Returns the text of a number, true, false or null. */
  String literal(int number) {
    return new String(bytes, from(number), length(number), StandardCharsets.US_ASCII);
  }

  /** Returns the numbers of the values directly inside an object or array. */
  int[] children(int number) {
    int end = get(number, AFTER);
    int size = 0;
    for (int each = number + 1; each < end; each = get(each, AFTER)) {
      size++;
    }
    int[] values = new int[size];
    int at = number + 1;
    for (int i = 0; i < size; i++) {
      values[i] = at;
      at = get(at, AFTER);
    }
    return values;
  }

  /** Returns the offset of the content of a member's name, without quotes. */
  int nameFrom(int member) {
    return get(member, NAME_FROM);
  }

  int nameTo(int member) {
    return get(member, NAME_TO);
  }

  /** Returns the name of a member, escapes resolved. */
  String name(int member) throws JsonException {
    for (int i = nameFrom(member); i < nameTo(member); i++) {
      if (bytes[i] == '\\') {
        return JsonScanner.decode(bytes, nameFrom(member), nameTo(member));
      }
    }
    int from = nameFrom(member);
    return new String(bytes, from, nameTo(member) - from, StandardCharsets.UTF_8);
  }

  /** Returns whether both values have the same text, and so are equal. */
  boolean isSameText(int number, JsonIndex other, int otherNumber) {
    return Arrays.equals(
        bytes,
        from(number),
        to(number),
        other.bytes,
        other.from(otherNumber),
        other.to(otherNumber));
  }

  /** Returns a hash that is equal for equal texts. */
  int hash(int number) {
    int hash = length(number);
    int to = to(number);
    for (int i = from(number); i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }
}
