package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the stream of a watch into frames, <code>{"type":T,"object":{...}}</code>, without copying
 * the objects and, from an apiserver, without looking into them.
 *
 * <p>An apiserver prints a frame on one line, {@code type} first, and ends it with a newline. So
 * the fast path looks for the newline and checks both ends of the line. What that leaves unproven,
 * that the line is one document, it proves by the absence of <code>}{</code> and <code>} </code>,
 * which compact JSON has only in strings. Anything else (pretty-printed, other order of keys, no
 * newline, several on a line) is read token by token. Whether the object itself is JSON is for
 * {@link ObjectView#read} to find out; it refuses too what stands there where a line ends in two
 * brackets for another reason, such as a third member. Not thread-safe.
 */
public final class WatchReader {

  /** What a frame says. */
  public enum FrameType {
    ADDED,
    MODIFIED,
    DELETED,
    BOOKMARK,
    ERROR
  }

  /** How an apiserver begins a frame. */
  private static final class Prefix {
    final FrameType type;
    final byte[] bytes;

    Prefix(FrameType type) {
      this.type = type;
      this.bytes = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
    }
  }

  private static final Prefix ADDED = new Prefix(FrameType.ADDED);
  private static final Prefix MODIFIED = new Prefix(FrameType.MODIFIED);
  private static final Prefix DELETED = new Prefix(FrameType.DELETED);
  private static final Prefix BOOKMARK = new Prefix(FrameType.BOOKMARK);
  private static final Prefix ERROR = new Prefix(FrameType.ERROR);
  private static final int TYPE_AT = "{\"type\":\"".length();
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long CLOSING = ONES * '}';
  private static final long OPENING = ONES * '{';
  private static final long SPACES = ONES * ' ';

  private final StreamScanner scanner;
  private FrameType type = FrameType.ERROR;
  private int from;
  private int to;

  /**
   * @param maxFrameBytes how large a frame may be, 1 to 2^29
   */
  public WatchReader(InputStream in, int maxFrameBytes) {
    this.scanner = new StreamScanner(in, maxFrameBytes);
  }

  /**
   * Waits for the next frame.
   *
   * @return false if the stream ended after a whole frame
   * @throws CutException if it ended inside one
   * @throws JsonException if what came is not a frame, is of an unknown type, or is too large
   */
  public boolean next() throws IOException, JsonException {
    scanner.unmark();
    if (scanner.atEnd()) {
      return false;
    }
    scanner.mark();
    if (!line()) {
      document();
    }
    return true;
  }

  public FrameType type() {
    return type;
  }

  /** Where {@link #from} and {@link #to} count; its content changes with {@link #next}. */
  public byte[] buffer() {
    return scanner.buffer;
  }

  /** Where the object begins: at its opening bracket. */
  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** The fast path. False, and nothing consumed, if this is not one frame on a line of its own. */
  private boolean line() throws IOException, JsonException {
    int searched = 0;
    while (true) {
      int start = scanner.mark;
      int hit = lineEnd(scanner.buffer, start + searched, scanner.limit);
      if (hit < scanner.limit) {
        return scanner.buffer[hit] == '\n' && frame(start, hit);
      }
      scanner.checkSize(scanner.limit);
      // A server that prints no newline must not have to wait for its next event.
      if (endsWithBracket() || !scanner.fill()) {
        return false;
      }
      // The last byte again: with what came now it may be a pair.
      searched = Math.max(searched, hit - 1 - start);
    }
  }

  private boolean endsWithBracket() {
    int i = scanner.limit - 1;
    while (i > scanner.mark && StreamScanner.isSpace(scanner.buffer[i])) {
      i--;
    }
    return scanner.buffer[i] == '}';
  }

  private boolean frame(int start, int newline) throws JsonException {
    byte[] buffer = scanner.buffer;
    if (newline - start <= TYPE_AT) {
      return false;
    }
    Prefix prefix =
        switch (buffer[start + TYPE_AT]) {
          case 'A' -> ADDED;
          case 'M' -> MODIFIED;
          case 'D' -> DELETED;
          case 'B' -> BOOKMARK;
          default -> ERROR;
        };
    int objectFrom = start + prefix.bytes.length;
    int objectTo = newline - 1;
    if (objectTo - objectFrom < 2
        || !Arrays.equals(buffer, start, objectFrom, prefix.bytes, 0, prefix.bytes.length)
        || buffer[objectFrom] != '{'
        || buffer[objectTo - 1] != '}'
        || buffer[objectTo] != '}') {
      return false;
    }
    scanner.checkSize(newline);
    type = prefix.type;
    from = objectFrom;
    to = objectTo;
    scanner.at = newline + 1;
    return true;
  }

  /**
   * The first control character, or closing bracket before an opening one or a space; {@code limit}
   * without either.
   */
  private static int lineEnd(byte[] buffer, int from, int limit) {
    int i = from;
    while (i + 9 <= limit) {
      long word = (long) LONGS.get(buffer, i);
      long next = (long) LONGS.get(buffer, i + 1);
      long closing = word ^ CLOSING;
      long opening = next ^ OPENING;
      long space = next ^ SPACES;
      // A byte that is sought has its high bit set; by a borrow one above it may have it too.
      long pair =
          ((closing - ONES) & ~closing)
              & (((opening - ONES) & ~opening) | ((space - ONES) & ~space));
      long hit = (((word - SPACES) & ~word) | pair) & HIGHS;
      if (hit == 0) {
        i += 8;
        continue;
      }
      i += Long.numberOfTrailingZeros(hit) >>> 3;
      if (isLineEnd(buffer, i, limit)) {
        return i;
      }
      i++;
    }
    while (i < limit && !isLineEnd(buffer, i, limit)) {
      i++;
    }
    return i;
  }

  private static boolean isLineEnd(byte[] buffer, int i, int limit) {
    byte b = buffer[i];
    return (b >= 0 && b < ' ')
        || (b == '}' && i + 1 < limit && (buffer[i + 1] == '{' || buffer[i + 1] == ' '));
  }

  /** The general path. */
  private void document() throws IOException, JsonException {
    @Nullable FrameType found = null;
    int objectFrom = -1;
    int objectTo = -1;
    scanner.expect('{');
    if (!scanner.accept('}')) {
      do {
        String key = scanner.text();
        scanner.expect(':');
        if (key.equals("type") && found == null) {
          found = typeNamed(scanner.text());
        } else if (key.equals("object") && objectFrom < 0) {
          if (scanner.peek() != '{') {
            throw scanner.unexpected();
          }
          objectFrom = scanner.at - scanner.mark;
          scanner.skip();
          objectTo = scanner.at - scanner.mark;
        } else if (key.equals("type") || key.equals("object")) {
          throw new JsonException("a watch event names its " + key + " twice");
        } else {
          scanner.skip();
        }
      } while (scanner.accept(','));
      scanner.expect('}');
    }
    if (found == null || objectFrom < 0) {
      throw new JsonException("a watch event without " + (found == null ? "type" : "object"));
    }
    scanner.checkSize(scanner.at);
    type = found;
    from = scanner.mark + objectFrom;
    to = scanner.mark + objectTo;
  }

  private static FrameType typeNamed(String name) throws JsonException {
    for (FrameType candidate : FrameType.values()) {
      if (candidate.name().equals(name)) {
        return candidate;
      }
    }
    throw new JsonException(
        "a watch event of an unknown type" + (name.matches("[A-Z]{1,20}") ? ", " + name : ""));
  }
}
