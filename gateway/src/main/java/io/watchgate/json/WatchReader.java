package io.watchgate.json;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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
 * {@link KubeObject#read} to find out; it refuses too what stands there where a line ends in two
 * brackets for another reason, such as a third member. Not thread-safe.
 *
 * <p>One odd frame does not end the stream where it can be told where it ends: one of an unknown
 * type, one whose object is none or is missing, one over the limit (only its {@link #beginning} is
 * kept), and one that is no JSON but stands on a line that begins as an apiserver's do.
 */
public final class WatchReader {

  /** What a frame says. */
  public enum FrameType {
    ADDED,
    MODIFIED,
    DELETED,
    BOOKMARK,
    ERROR,
    /** A type that is not known here. */
    OTHER
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
  private static final List<Prefix> PREFIXES = List.of(ADDED, MODIFIED, DELETED, BOOKMARK, ERROR);
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
  private byte @Nullable [] beginning;
  private int from;
  private int to;

  /**
   * @param maxFrameBytes how large a frame may be, 1 to 2^29
   */
  public WatchReader(InputStream in, int maxFrameBytes) {
    this.scanner = StreamScanner.ofLines(in, maxFrameBytes);
  }

  /**
   * Waits for the next frame.
   *
   * @return false if the stream ended after a whole frame
   * @throws TruncatedJsonException if it ended inside one
   * @throws JsonException if what came is not a frame, and it cannot be told where the next begins
   */
  public boolean next() throws IOException, JsonException {
    scanner.unmark();
    beginning = null;
    if (scanner.atEnd()) {
      return false;
    }
    scanner.markCutting();
    if (!line()) {
      documentOrLine();
    }
    return true;
  }

  /** Why the object is not whole, null if it is. */
  public @Nullable String problem() {
    return beginning == null ? null : scanner.tooLarge();
  }

  public FrameType type() {
    return type;
  }

  /** Where {@link #from} and {@link #to} count; its content changes with {@link #next}. */
  public byte[] buffer() {
    return beginning == null ? scanner.buffer : beginning;
  }

  /** Where the object begins: at its opening bracket, or whatever stands in its place. */
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
      if (scanner.isFull()) {
        return false; // token by token it need not be kept
      }
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
        || buffer[objectTo] != '}'
        || scanner.isOver(newline)) {
      return false;
    }
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

  private void documentOrLine() throws IOException, JsonException {
    try {
      document();
    } catch (JsonException e) {
      if (!brokenLine()) {
        throw e;
      }
    }
  }

  /**
   * A line that begins as an apiserver's and is no JSON: it ends where it ends, and its object is
   * what stands between. False if it is none.
   */
  private boolean brokenLine() throws IOException, JsonException {
    Prefix prefix = scanner.mark < 0 ? null : prefix();
    if (prefix == null) {
      return false;
    }
    int length = 0;
    while (true) {
      int i = scanner.mark + length;
      while (i < scanner.limit && scanner.buffer[i] != '\n') {
        i++;
      }
      if (i < scanner.limit) {
        type = prefix.type;
        from = scanner.mark + prefix.bytes.length;
        to = i;
        scanner.at = i + 1;
        return from <= to;
      }
      length = i - scanner.mark;
      if (scanner.isFull() || !scanner.fill()) {
        return false;
      }
    }
  }

  private @Nullable Prefix prefix() {
    for (Prefix prefix : PREFIXES) {
      int end = scanner.mark + prefix.bytes.length;
      if (end <= scanner.limit
          && Arrays.equals(
              scanner.buffer, scanner.mark, end, prefix.bytes, 0, prefix.bytes.length)) {
        return prefix;
      }
    }
    return null;
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
          found = typeNamed();
        } else if (key.equals("object") && objectFrom < 0) {
          byte _ = scanner.peek();
          objectFrom = offset();
          scanner.skip();
          objectTo = offset();
        } else if (key.equals("type") || key.equals("object")) {
          throw new JsonException("a watch event names its " + key + " twice");
        } else {
          scanner.skip();
        }
      } while (scanner.accept(','));
      scanner.expect('}');
    }
    if (found == null && objectFrom < 0) {
      throw new JsonException("a watch event without type");
    }
    scanner.checkSize();
    type = found == null ? FrameType.OTHER : found;
    beginning = scanner.beginning();
    int start = beginning == null ? scanner.mark : 0;
    int end = beginning == null ? scanner.at : beginning.length;
    from = objectFrom < 0 ? end : Math.min(start + objectFrom, end);
    to = objectTo < 0 ? end : Math.min(start + objectTo, end);
  }

  /** How far behind the mark; beyond the end of what is kept where the mark is gone. */
  private int offset() {
    return scanner.mark < 0 ? Integer.MAX_VALUE >> 1 : scanner.at - scanner.mark;
  }

  private FrameType typeNamed() throws IOException, JsonException {
    if (scanner.peek() != '"') {
      scanner.skip();
      return FrameType.OTHER;
    }
    String name = scanner.text();
    for (Prefix candidate : PREFIXES) {
      if (candidate.type.name().equals(name)) {
        return candidate.type;
      }
    }
    return FrameType.OTHER;
  }
}
