package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The {@link JsonScanner} of JSON that is still arriving: it moves forwards over a stream and keeps
 * in memory only what stands behind a mark. It checks as much, and as little, as that one. Not
 * thread-safe.
 */
final class StreamScanner {
  private static final int INITIAL_BUFFER = 1 << 16;

  /** A buffer that one huge value made larger than this is given back after it. */
  private static final int LARGEST_IDLE_BUFFER = 1 << 20;

  /**
   * How much is kept of a value over the limit: of an object what identifies it, which stands near
   * its beginning.
   */
  private static final int BEGINNING = 1 << 20;

  /** A value of more than so many times the limit does not end: it is refused after all. */
  private static final int ENDLESS = 8;

  static final byte[] KIND = {'k', 'i', 'n', 'd'};
  static final byte[] API_VERSION = {'a', 'p', 'i', 'V', 'e', 'r', 's', 'i', 'o', 'n'};

  /** What {@link #API_VERSION} takes with each character escaped. */
  private static final int LONGEST_NAME = 6 * API_VERSION.length;

  private final InputStream in;
  private final int maxKept;

  /** Whether a line feed ends what it stands in. */
  private final boolean lines;

  private long discarded;

  /** What was read and not yet passed stands in {@code buffer[at, limit)}; filling moves all. */
  byte[] buffer = new byte[INITIAL_BUFFER];

  int at;
  int limit;

  /** From here on everything is kept; -1: nothing before {@link #at} is. */
  int mark = -1;

  /** From here on everything is kept, too; -1: nothing. Never before the mark. */
  private int textFrom = -1;

  /** What becomes of a value behind the mark that is over the limit. */
  private Oversized oversized = Oversized.REFUSED;

  /** How what was behind the mark began; null while all of it is kept. */
  private byte @Nullable [] beginning;

  /** Where, of all bytes. */
  private long beganAt;

  private enum Oversized {
    REFUSED,
    CUT
  }

  /**
   * Whether the object skipped last holds, at its own level, a string {@code kind} or {@code
   * apiVersion}. It may be a value, so a yes needs another look, a no does not.
   */
  boolean maybeTyped;

  /** Whether the string skipped last holds escapes. */
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
   * Of one document.
   *
   * @param maxKept how many bytes may stand behind a mark
   */
  static StreamScanner ofDocument(InputStream in, int maxKept) {
    return new StreamScanner(in, maxKept, false);
  }

  /** Of documents that stand on a line each: no string holds a line feed. */
  static StreamScanner ofLines(InputStream in, int maxKept) {
    return new StreamScanner(in, maxKept, true);
  }

  void mark() {
    mark = at;
    oversized = Oversized.REFUSED;
    beginning = null;
  }

  /** The same for a value that, over the limit, is passed over; see {@link #beginning}. */
  void markCutting() {
    mark();
    oversized = Oversized.CUT;
  }

  void unmark() {
    mark = -1;
    textFrom = -1;
    beginning = null;
  }

  /**
   * How what began at the mark began, if it was over the limit: then the mark is gone. Null while
   * all of it is kept.
   */
  byte @Nullable [] beginning() {
    return beginning;
  }

  /** The message for a value over the limit. */
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

  /** A look at what stands between the mark and here; until more is read. */
  JsonScanner kept() {
    return new JsonScanner(buffer, mark, at, discarded);
  }

  /** Waits for more bytes of a value that goes on. */
  private void more() throws IOException, JsonException {
    checkSize();
    if (textFrom >= 0 && at - textFrom > maxKept) {
      throw new JsonException(tooLarge());
    }
    if (!fill()) {
      throw new TruncatedJsonException(discarded + limit);
    }
  }

  /**
   * Throws, or cuts off what stands behind the mark, if that is more than may be kept up to here.
   * Called at the end of a value too, so that the outcome does not depend on how the bytes came.
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

  /** Whether more stands between the mark and here than may be kept. */
  boolean isOver(int to) {
    return to - mark > maxKept;
  }

  boolean isFull() {
    return isOver(limit);
  }

  /** Whether nothing but white space follows until the end of the stream. */
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
      more();
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
    string();
    if (at - textFrom > maxKept) { // as it would have been, had it come in pieces
      throw new JsonException(tooLarge());
    }
    String text = JsonScanner.decode(buffer, textFrom + 1, at - 1);
    textFrom = -1;
    return text;
  }

  /**
   * Skips a string. A control character in it is left to the reader of the object, but for the line
   * feed that ends a frame: where the string ends is known all the same.
   */
  private void string() throws IOException, JsonException {
    expect('"');
    stringEscaped = false;
    int i = at;
    while (true) {
      i = JsonScanner.plainEnd(buffer, i, limit);
      if (i >= limit || (buffer[i] == '\\' && i + 1 == limit)) {
        at = i;
        more();
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
      case '"' -> string();
      case '{', '[' -> {
        maybeTyped = false;
        skipNested(0);
      }
      default -> literal();
    }
  }

  private void literal() throws IOException, JsonException {
    int length = 0;
    while (true) {
      while (at < limit && JsonScanner.isLiteral(buffer[at])) {
        at++;
        length++;
      }
      if (at < limit) {
        break;
      }
      more();
    }
    if (length == 0) {
      throw unexpected();
    }
  }

  /**
   * @param outer how many brackets are open around
   */
  private void skipNested(int outer) throws IOException, JsonException {
    if (outer >= JsonScanner.MAX_DEPTH) {
      skipDeep();
      return;
    }
    long objects = 0; // bit n: is the bracket at depth n an object's?
    int depth = 0;
    int i = at;
    while (true) {
      if (i == limit) {
        at = i;
        more();
        i = at;
        continue;
      }
      byte b = buffer[i];
      switch (b) {
        case '"' -> {
          at = i;
          if (depth == 1 && outer == 0 && mark >= 0) {
            int from = i - mark;
            string();
            maybeTyped |= mark >= 0 && isTypeName(mark + from + 1, at - 1);
          } else {
            string();
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

  /** Skips what is nested deeper than an object may be: its reader refuses it. */
  private void skipDeep() throws IOException, JsonException {
    long depth = 0;
    do {
      if (at == limit) {
        more();
      }
      switch (buffer[at]) {
        case '"' -> string();
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
