package io.watchgate.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Forward scanner over JSON in an array. It finds the ends of strings eight bytes at a time and
 * allocates nothing.
 *
 * <p>Skipped values are checked for closed strings and matching brackets, but not for commas,
 * colons and the form of numbers. The bytes come from an encoder, so the only possible errors are
 * truncated and mixed bytes. Not thread-safe.
 */
final class JsonScanner {
  /**
   * Depth that the apiserver's own decoder accepts; fields that it preserves unread may use all of
   * it.
   */
  static final int MAX_DEPTH = 10_000;

  /**
   * Number of brackets that one call of {@link #skipNested} tracks, as the bits of a long: more
   * than any built-in type has. Deeper levels are skipped by a nested call.
   */
  static final int LEVELS = 63;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long QUOTES = ONES * '"';
  private static final long BACKSLASHES = ONES * '\\';

  /** A surrogate pair is one code point, which does not match. */
  private static final Pattern SURROGATE = Pattern.compile("[\\ud800-\\udfff]");

  private final byte[] buffer;
  private final int end;
  private int at;

  /** Number of bytes before the buffer: errors contain positions in the complete stream. */
  private final long before;

  /** Range of the content of the string read last, without quotes, and whether it has escapes. */
  int stringFrom;

  int stringTo;
  boolean stringEscaped;

  JsonScanner(byte[] buffer, int from, int to) {
    this(buffer, from, to, 0);
  }

  JsonScanner(byte[] buffer, int from, int to, long before) {
    this.buffer = buffer;
    this.at = from;
    this.end = to;
    this.before = before;
  }

  int position() {
    return at;
  }

  /** Continues at the end of a value that is known to end there. */
  void skipTo(int end) {
    at = end;
  }

  /** Moves to the next token and returns its first byte, without consuming it. */
  byte peek() throws JsonException {
    while (at < end) {
      byte b = buffer[at];
      if (b > ' ') {
        return b;
      }
      if (!StreamScanner.isSpace(b)) {
        throw unexpected();
      }
      at++;
    }
    throw new JsonException("JSON ends early, after " + (before + at) + " bytes");
  }

  /** Consumes this token, which is one byte. */
  void expect(char token) throws JsonException {
    if (peek() != token) {
      throw unexpected();
    }
    at++;
  }

  /** Consumes the token if it is this one. */
  boolean accept(char token) throws JsonException {
    if (peek() != token) {
      return false;
    }
    at++;
    return true;
  }

  /** Checks that only white space follows. */
  void expectEnd() throws JsonException {
    while (at < end) {
      if (!StreamScanner.isSpace(buffer[at])) {
        throw unexpected();
      }
      at++;
    }
  }

  /** Reads a string. */
  void readString() throws JsonException {
    expect('"');
    stringFrom = at;
    stringEscaped = false;
    stringTo = closingQuote(at);
    at = stringTo + 1;
  }

  /**
   * Returns the end of the string whose content begins at {@code from}. Records whether the string
   * has escapes.
   */
  private int closingQuote(int from) throws JsonException {
    int i = from;
    while (true) {
      i = plainEnd(buffer, i, end);
      if (i >= end) {
        throw new JsonException("JSON ends inside a string, after " + (before + end) + " bytes");
      }
      byte b = buffer[i];
      if (b == '"') {
        return i;
      }
      if (b == '\\') {
        stringEscaped = true;
        i += 2;
      } else if (b >= 0 && b < ' ') {
        at = i;
        throw unexpected();
      } else {
        i++;
      }
    }
  }

  /**
   * Returns the end of a run of plain string content: the next quote, backslash or control
   * character, or less than eight bytes before {@code to}.
   */
  static int plainEnd(byte[] buffer, int from, int to) {
    int i = from;
    while (i + 8 <= to) {
      long word = (long) LONGS.get(buffer, i);
      long quote = word ^ QUOTES;
      long backslash = word ^ BACKSLASHES;
      // The lowest high bit set is exact; above it a borrow may set others, and only the lowest is
      // used.
      long hit =
          (((quote - ONES) & ~quote)
                  | ((backslash - ONES) & ~backslash)
                  | ((word - ONES * ' ') & ~word))
              & HIGHS;
      if (hit != 0) {
        return i + (Long.numberOfTrailingZeros(hit) >>> 3);
      }
      i += 8;
    }
    return i;
  }

  /** Skips a value of any kind. */
  void skip() throws JsonException {
    byte b = peek();
    switch (b) {
      case '"' -> readString();
      case '{', '[' -> skipNested(0);
      default -> skipLiteral();
    }
  }

  /** Skips a number, true, false or null. */
  void skipLiteral() throws JsonException {
    int from = at;
    while (at < end && isLiteral(buffer[at])) {
      at++;
    }
    if (at == from) {
      throw unexpected();
    }
  }

  static boolean isLiteral(byte b) {
    return (b >= '0' && b <= '9')
        || (b >= 'a' && b <= 'z')
        || b == '-'
        || b == '+'
        || b == '.'
        || b == 'E';
  }

  /**
   * Skips an object or array. Most bytes of an object are scanned here, so the position is in a
   * local variable instead of the field.
   *
   * @param outer number of open brackets around it
   */
  private void skipNested(int outer) throws JsonException {
    checkDepth(outer, before + at);
    long objects = 0; // bit n is 1 if the bracket at depth n is an object's
    int depth = 0;
    int i = at;
    while (i < end) {
      byte b = buffer[i];
      switch (b) {
        case '"' -> i = closingQuote(i + 1);
        case '{', '[' -> {
          if (depth == LEVELS) {
            at = i;
            skipNested(outer + LEVELS);
            i = at - 1;
          } else {
            depth++;
            objects = b == '{' ? objects | 1L << depth : objects & ~(1L << depth);
          }
        }
        case '}', ']' -> {
          if ((b == '}') != ((objects >>> depth & 1) == 1)) {
            at = i;
            throw unexpected();
          }
          if (--depth == 0) {
            at = i + 1;
            return;
          }
        }
        default -> {}
      }
      i++;
    }
    throw new JsonException(
        "JSON ends inside an object or array, after " + (before + end) + " bytes");
  }

  static void checkDepth(int depth, long at) throws JsonException {
    if (depth >= MAX_DEPTH) {
      throw new JsonException("JSON is nested deeper than " + MAX_DEPTH + ", at byte " + at);
    }
  }

  /**
   * Returns whether the string read last equals this ASCII text; an encoder may escape any part of
   * it.
   */
  boolean nameIs(byte[] text) throws JsonException {
    return stringEscaped
        ? Arrays.equals(stringBytes(), text)
        : stringTo - stringFrom == text.length
            && Arrays.equals(buffer, stringFrom, stringTo, text, 0, text.length);
  }

  /** Returns the string read last, in UTF-8 and without escapes. */
  byte[] stringBytes() throws JsonException {
    return decodeUtf8(buffer, stringFrom, stringTo);
  }

  /** Checks that the string read last can be decoded later, when an error could not be reported. */
  void checkEscapes() throws JsonException {
    if (stringEscaped) {
      var _ = decode(buffer, stringFrom, stringTo);
    }
  }

  private JsonException unexpected() {
    return new JsonException("unexpected byte in JSON at " + (before + at));
  }

  /**
   * Returns the text of a string's content in UTF-8. Half of a surrogate pair becomes U+FFFD, as
   * Kubernetes reads it.
   */
  static byte[] decodeUtf8(byte[] buffer, int from, int to) throws JsonException {
    return SURROGATE
        .matcher(decode(buffer, from, to))
        .replaceAll("\ufffd")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the text of a string's content, escapes resolved. */
  static String decode(byte[] buffer, int from, int to) throws JsonException {
    StringBuilder text = new StringBuilder(to - from);
    int plain = from;
    int i = from;
    while (i < to) {
      if (buffer[i] != '\\') {
        i++;
        continue;
      }
      text.append(new String(buffer, plain, i - plain, StandardCharsets.UTF_8));
      if (i + 1 >= to) {
        throw new JsonException("string ends inside an escape");
      }
      byte kind = buffer[i + 1];
      i += 2;
      switch (kind) {
        case '"', '\\', '/' -> text.append((char) kind);
        case 'b' -> text.append('\b');
        case 'f' -> text.append('\f');
        case 'n' -> text.append('\n');
        case 'r' -> text.append('\r');
        case 't' -> text.append('\t');
        case 'u' -> {
          if (i + 4 > to) {
            throw new JsonException("string ends inside an escape");
          }
          int unit = 0;
          for (int end = i + 4; i < end; i++) {
            int digit = Character.digit(buffer[i], 16);
            if (digit < 0) {
              throw new JsonException("bad digit in an escape");
            }
            unit = unit << 4 | digit;
          }
          text.append((char) unit);
        }
        default -> throw new JsonException("unknown escape in a string");
      }
      plain = i;
    }
    return text.append(new String(buffer, plain, to - plain, StandardCharsets.UTF_8)).toString();
  }
}
