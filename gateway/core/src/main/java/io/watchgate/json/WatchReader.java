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
 * Reader that splits the stream of a watch into frames, <code>{"type":T,"object":{...}}</code>,
 * without copying the objects and, for frames from an apiserver, without scanning them.
 *
 * <p>An apiserver prints a frame on one line, {@code type} first, and ends it with a newline. So
 * the fast path searches for the newline and checks both ends of the line. That the line is one
 * document is proven by the absence of <code>}{</code> and <code>} </code>, which compact JSON has
 * only in strings. Any other form (pretty-printed, other order of keys, no newline, several on a
 * line) is read token by token. {@link KubeObject#read} checks whether the object itself is JSON. A
 * line may end in two brackets although its object ends before, for example if a third member
 * follows it; {@code KubeObject.read} refuses the text of such an object, too. Not thread-safe.
 *
 * <p>A bad frame does not end the stream if the end of the frame can be determined. Such a frame
 * has an unknown type, no object, or another value instead of the object. Or it exceeds the limit;
 * then only its {@link #beginning} is kept. Or it is a line that begins like an apiserver's frame
 * and is no JSON.
 */
public final class WatchReader {

  /** Type of a frame. */
  public enum FrameType {
    ADDED,
    MODIFIED,
    DELETED,
    BOOKMARK,
    ERROR,
    /** An unknown type. */
    OTHER
  }

  /** Beginning of a frame from an apiserver. */
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
   * @param maxFrameBytes maximum size of a frame, 1 to 2^29
   */
  public WatchReader(InputStream in, int maxFrameBytes) {
    this.scanner = StreamScanner.ofLines(in, maxFrameBytes);
  }

  /**
   * Waits for the next frame.
   *
   * @return false if the stream ended after a complete frame
   * @throws TruncatedJsonException if the stream ended inside a frame
   * @throws JsonException if the input is not a frame, and the beginning of the next one cannot be
   *     determined
   */
  public boolean next() throws IOException, JsonException {
    scanner.unmark();
    beginning = null;
    if (scanner.atEnd()) {
      return false;
    }
    scanner.markTruncating();
    if (!readLine()) {
      readDocumentOrLine();
    }
    return true;
  }

  /** Returns the reason for which the object is incomplete, null if it is complete. */
  public @Nullable String problem() {
    return beginning == null ? null : scanner.tooLarge();
  }

  public FrameType type() {
    return type;
  }

  /**
   * Returns the array of the offsets {@link #from} and {@link #to}; its content changes with {@link
   * #next}.
   */
  public byte[] buffer() {
    return beginning == null ? scanner.buffer : beginning;
  }

  /**
   * Returns the beginning of the object: its opening bracket, or the first byte of another value.
   */
  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /**
   * Reads a frame on the fast path. Returns false, and consumes nothing, if this is not one frame
   * on its own line.
   */
  private boolean readLine() throws IOException, JsonException {
    int searched = 0;
    while (true) {
      int start = scanner.mark;
      int hit = findLineEnd(scanner.buffer, start + searched, scanner.limit);
      if (hit < scanner.limit) {
        return scanner.buffer[hit] == '\n' && readFrame(start, hit);
      }
      if (scanner.isFull()) {
        return false; // a token by token scan need not keep it
      }
      // Returns early, because a server without newlines must not have to wait for its next event.
      if (endsWithBracket() || !scanner.fill()) {
        return false;
      }
      // Searches the last byte again: together with the new bytes it may be a pair.
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

  private boolean readFrame(int start, int newline) throws JsonException {
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
        || scanner.exceedsLimit(newline)) {
      return false;
    }
    type = prefix.type;
    from = objectFrom;
    to = objectTo;
    scanner.at = newline + 1;
    return true;
  }

  /**
   * Returns the first control character, or closing bracket before an opening one or a space;
   * {@code limit} if there is neither.
   */
  private static int findLineEnd(byte[] buffer, int from, int limit) {
    int i = from;
    while (i + 9 <= limit) {
      long word = (long) LONGS.get(buffer, i);
      long next = (long) LONGS.get(buffer, i + 1);
      long closing = word ^ CLOSING;
      long opening = next ^ OPENING;
      long space = next ^ SPACES;
      // A matching byte has its high bit set; by a borrow a byte above it may have it too.
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

  private void readDocumentOrLine() throws IOException, JsonException {
    try {
      readDocument();
    } catch (JsonException e) {
      if (!readBrokenLine()) {
        throw e;
      }
    }
  }

  /**
   * Reads a line that begins like an apiserver's frame and is no JSON: the line feed ends it, and
   * its object is the text between. Returns false if this is no such line.
   */
  private boolean readBrokenLine() throws IOException, JsonException {
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

  /** Reads a frame on the general path. */
  private void readDocument() throws IOException, JsonException {
    @Nullable FrameType found = null;
    int objectFrom = -1;
    int objectTo = -1;
    scanner.expect('{');
    if (!scanner.accept('}')) {
      do {
        String key = scanner.text();
        scanner.expect(':');
        if (key.equals("type") && found == null) {
          found = readType();
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

  /**
   * Returns the distance from the mark; beyond the end of the kept bytes if the mark was removed.
   */
  private int offset() {
    return scanner.mark < 0 ? Integer.MAX_VALUE >> 1 : scanner.at - scanner.mark;
  }

  private FrameType readType() throws IOException, JsonException {
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
