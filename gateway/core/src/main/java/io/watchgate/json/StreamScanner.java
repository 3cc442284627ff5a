package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@link JsonScanner} for JSON that is still arriving: it scans a stream forwards and keeps in
 * memory only the bytes after a mark. It makes the same checks as {@link JsonScanner}. Not
 * thread-safe.
 */
final class StreamScanner {
  private static final int INITIAL_BUFFER = 1 << 16;

  /** A buffer that one huge value enlarged above this size is released after that value. */
  private static final int LARGEST_IDLE_BUFFER = 1 << 20;

  /**
   * Number of bytes that are kept of a value over the limit: enough for the identity of an object,
   * which is near its beginning.
   */
  private static final int BEGINNING = 1 << 20;

  /** A value of more than this multiple of the limit is refused instead of skipped. */
  private static final int ENDLESS = 8;

  static final byte[] KIND = {'k', 'i', 'n', 'd'};
  static final byte[] API_VERSION = {'a', 'p', 'i', 'V', 'e', 'r', 's', 'i', 'o', 'n'};

  /** Length of {@link #API_VERSION} with each character escaped. */
  private static final int LONGEST_NAME = 6 * API_VERSION.length;

  private final InputStream in;
  private final int maxKept;

  /** True if a line feed ends a document. */
  private final boolean lines;

  private long discarded;

  /** Bytes that were read and not yet scanned are {@code buffer[at, limit)}; a fill moves all. */
  byte[] buffer = new byte[INITIAL_BUFFER];

  int at;
  int limit;

  /** Everything from this offset on is kept; if -1, nothing before {@link #at} is kept. */
  int mark = -1;

  /** Everything from this offset on is kept, too; -1 for none. Never before the mark. */
  private int textFrom = -1;

  /** Treatment of a value behind the mark that is over the limit. */
  private Oversized oversized = Oversized.REFUSED;

  /** Beginning of the value behind the mark; null while the complete value is kept. */
  private byte @Nullable [] beginning;

  /** Position of that beginning in the stream. */
  private long beganAt;

  private enum Oversized {
    REFUSED,
    CUT
  }

  /**
   * True if the object skipped last may have, at its own level, the name {@code kind} or {@code
   * apiVersion}. The string may also be a value, so true requires a second check, false does not.
   */
  boolean maybeTyped;

  /** True if the string skipped last has escapes. */
  private boolean stringEscaped;

  private StreamScanner(InputStream in, int maxKept, boolean lines) {
    if (maxKept < 1 || maxKept > 1 << 29) {
      throw new IllegalArgumentException("a limit of 1 byte to 512 MiB: " + maxKept);
    }
    this.in = in;
    this.maxKept = maxKept;
    this.lines = lines;
  }

  /**
   * Returns a scanner of one document.
   *
   * @param maxKept maximum of bytes behind a mark
   */
  static StreamScanner ofDocument(InputStream in, int maxKept) {
    return new StreamScanner(in, maxKept, false);
  }

  /** Returns a scanner of documents on one line each: no string contains a line feed. */
  static StreamScanner ofLines(InputStream in, int maxKept) {
    return new StreamScanner(in, maxKept, true);
  }

  void mark() {
    mark = at;
    oversized = Oversized.REFUSED;
    beginning = null;
  }

  /** Like {@link #mark()}, but a value over the limit is skipped; see {@link #beginning}. */
  void markTruncating() {
    mark();
    oversized = Oversized.CUT;
  }

  void unmark() {
    mark = -1;
    textFrom = -1;
    beginning = null;
  }

  /**
   * Returns the beginning of the value at the mark, if it was over the limit: then the mark is
   * removed. Null while the complete value is kept.
   */
  byte @Nullable [] beginning() {
    return beginning;
  }

  /** Returns the message for a value over the limit. */
  String tooLarge() {
    return "a JSON value is larger than the limit of " + maxKept + " bytes";
  }

  /**
   * Waits for more bytes behind {@link #limit}. Offsets change; their distance to the mark stays.
   *
   * @return false at the end of the stream
   */
  boolean fill() throws IOException, JsonException {
    int keep = mark >= 0 ? mark : textFrom >= 0 ? textFrom : at;
    if (keep == limit) {
      move(keep, buffer.length > LARGEST_IDLE_BUFFER ? new byte[INITIAL_BUFFER] : buffer);
    } else if (limit == buffer.length) {
      if (limit - keep <= buffer.length / 2) {
        move(keep, buffer);
      } else {
        move(keep, new byte[buffer.length * 2]);
      }
    }
    int n = in.read(buffer, limit, buffer.length - limit);
    if (n < 0) {
      return false;
    }
    limit += n;
    return true;
  }

  private void move(int keep, byte[] to) {
    System.arraycopy(buffer, keep, to, 0, limit - keep);
    buffer = to;
    discarded += keep;
    at -= keep;
    limit -= keep;
    mark = Math.max(mark - keep, -1);
    textFrom = Math.max(textFrom - keep, -1);
  }

  /**
   * Returns a scanner of the bytes between the mark and the current position; valid until more is
   * read.
   */
  JsonScanner keptScanner() {
    return new JsonScanner(buffer, mark, at, discarded);
  }

  /** Waits for more bytes of an unfinished value. */
  private void readMore() throws IOException, JsonException {
    checkSize();
    if (textFrom >= 0 && at - textFrom > maxKept) {
      throw new JsonException(tooLarge());
    }
    if (!fill()) {
      throw new TruncatedJsonException(discarded + limit);
    }
  }

  /**
   * Throws, or drops the bytes behind the mark, if they exceed the limit. Also called at the end of
   * a value, so that the outcome does not depend on the sizes of the reads.
   */
  void checkSize() throws JsonException {
    if (mark >= 0 && at - mark > maxKept) {
      switch (oversized) {
        case REFUSED -> throw new JsonException(tooLarge());
        case CUT -> {
          beginning = Arrays.copyOfRange(buffer, mark, mark + Math.min(maxKept, BEGINNING));
          beganAt = discarded + mark;
          mark = -1;
        }
      }
    }
    if (beginning != null && discarded + at - beganAt > (long) ENDLESS * maxKept) {
      throw new JsonException(tooLarge());
    }
  }

  /** Returns whether the bytes between the mark and {@code to} exceed the limit. */
  boolean exceedsLimit(int to) {
    return to - mark > maxKept;
  }

  boolean isFull() {
    return exceedsLimit(limit);
  }

  /** Returns whether only white space follows until the end of the stream. */
  boolean atEnd() throws IOException, JsonException {
    while (true) {
      while (at < limit) {
        if (!isSpace(buffer[at])) {
          return false;
        }
        at++;
      }
      if (!fill()) {
        return true;
      }
    }
  }

  /** Moves to the next token and returns its first byte, without consuming it. */
  byte peek() throws IOException, JsonException {
    while (true) {
      while (at < limit) {
        byte b = buffer[at];
        if (b > ' ') {
          return b;
        }
        if (!isSpace(b)) {
          throw unexpected();
        }
        at++;
      }
      readMore();
    }
  }

  static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** Consumes this token, which is one byte. */
  void expect(char token) throws IOException, JsonException {
    if (peek() != token) {
      throw unexpected();
    }
    at++;
  }

  /** Consumes the token if it is this one. */
  boolean accept(char token) throws IOException, JsonException {
    if (peek() != token) {
      return false;
    }
    at++;
    return true;
  }

  /** Reads a string and returns its text. It must be short: a key, a name. */
  String text() throws IOException, JsonException {
    peek();
    textFrom = at;
    skipString();
    if (at - textFrom > maxKept) { // the same result as if it had arrived in pieces
      throw new JsonException(tooLarge());
    }
    String text = JsonScanner.decode(buffer, textFrom + 1, at - 1);
    textFrom = -1;
    return text;
  }

  /**
   * Skips a string. Control characters in it are left to the reader of the object, except the line
   * feed, which ends a frame: the end of the string is known all the same.
   */
  private void skipString() throws IOException, JsonException {
    expect('"');
    stringEscaped = false;
    int i = at;
    while (true) {
      i = JsonScanner.plainEnd(buffer, i, limit);
      if (i >= limit || (buffer[i] == '\\' && i + 1 == limit)) {
        at = i;
        readMore();
        i = at;
        continue;
      }
      byte b = buffer[i];
      if (b == '"') {
        at = i + 1;
        return;
      }
      if (b == '\\') {
        stringEscaped = true;
        i += 2;
      } else if (b == '\n' && lines) {
        at = i;
        throw unexpected();
      } else {
        i++;
      }
    }
  }

  /** Skips a value of any kind. */
  void skip() throws IOException, JsonException {
    switch (peek()) {
      case '"' -> skipString();
      case '{', '[' -> {
        maybeTyped = false;
        skipNested(0);
      }
      default -> skipLiteral();
    }
  }

  private void skipLiteral() throws IOException, JsonException {
    int length = 0;
    while (true) {
      while (at < limit && JsonScanner.isLiteral(buffer[at])) {
        at++;
        length++;
      }
      if (at < limit) {
        break;
      }
      readMore();
    }
    if (length == 0) {
      throw unexpected();
    }
  }

  /**
   * @param outer number of open brackets around the value
   */
  private void skipNested(int outer) throws IOException, JsonException {
    if (outer >= JsonScanner.MAX_DEPTH) {
      skipDeep();
      return;
    }
    long objects = 0; // bit n is 1 if the bracket at depth n is an object's
    int depth = 0;
    int i = at;
    while (true) {
      if (i == limit) {
        at = i;
        readMore();
        i = at;
        continue;
      }
      byte b = buffer[i];
      switch (b) {
        case '"' -> {
          at = i;
          if (depth == 1 && outer == 0 && mark >= 0) {
            int from = i - mark;
            skipString();
            maybeTyped |= mark >= 0 && isTypeName(mark + from + 1, at - 1);
          } else {
            skipString();
          }
          i = at;
        }
        case '{', '[' -> {
          if (depth == JsonScanner.LEVELS) {
            at = i;
            skipNested(outer + JsonScanner.LEVELS);
            i = at;
          } else {
            depth++;
            objects = b == '{' ? objects | 1L << depth : objects & ~(1L << depth);
            i++;
          }
        }
        case '}', ']' -> {
          at = i;
          if ((b == '}') != ((objects >>> depth & 1) == 1)) {
            throw unexpected();
          }
          i++;
          if (--depth == 0) {
            at = i;
            return;
          }
        }
        default -> i++;
      }
    }
  }

  /**
   * Skips a value that is nested deeper than an object may be: the reader of the object refuses it.
   */
  private void skipDeep() throws IOException, JsonException {
    long depth = 0;
    do {
      if (at == limit) {
        readMore();
      }
      switch (buffer[at]) {
        case '"' -> skipString();
        case '{', '[' -> {
          depth++;
          at++;
        }
        case '}', ']' -> {
          depth--;
          at++;
        }
        default -> at++;
      }
    } while (depth > 0);
  }

  private boolean isTypeName(int from, int to) {
    if (stringEscaped) {
      return to - from <= LONGEST_NAME;
    }
    byte[] name = to - from == KIND.length ? KIND : API_VERSION;
    return Arrays.equals(buffer, from, to, name, 0, name.length);
  }

  JsonException unexpected() {
    return new JsonException("unexpected byte in JSON at " + (discarded + at));
  }
}
