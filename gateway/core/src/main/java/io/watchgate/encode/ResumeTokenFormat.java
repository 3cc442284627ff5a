package io.watchgate.encode;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.StateDigest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Layout of a resume token: at most 88 bytes, opaque to clients, equal on every replica, without
 * names and secrets. A token is no credential. Every request is authorized again, and the gateway
 * trusts only the parts of a token that the cache can check.
 *
 * <pre>
 * 'W' 'g' format(1) cluster(8) type(8) selection(8) digest(16) length(1) version(length) crc32c(4)
 * </pre>
 */
final class ResumeTokenFormat {
  private static final byte[] MAGIC = {'W', 'g'};
  private static final byte FORMAT = 1;
  private static final int HASH = 8;
  private static final int BEFORE_VERSION = 2 + 1 + 3 * HASH + StateDigest.BYTES + 1;
  private static final int CHECKSUM = 4;

  /** Maximum bytes of a token of any format; longer ones are not parsed. */
  static final int MAX_BYTES = 127;

  private ResumeTokenFormat() {}

  /** Result of parsing a token. */
  sealed interface Parsed {}

  /** Token of this format. The caller compares the hashes with the hashes of its request. */
  record Valid(long cluster, long type, long selection, Position position) implements Parsed {}

  /** Token of another version of the gateway, whose position is unknown. */
  record OtherFormat() implements Parsed {}

  /** Bytes that are no token. */
  record Malformed() implements Parsed {}

  /** Returns the number of bytes of a token. */
  static int size(Position position) {
    return BEFORE_VERSION + position.version().digits().length() + CHECKSUM;
  }

  /** Writes a token of {@link #size} bytes. */
  static void write(long cluster, long type, long selection, Position position, ByteBuffer out) {
    int from = out.position();
    String digits = position.version().digits();
    out.put(MAGIC).put(FORMAT).putLong(cluster).putLong(type).putLong(selection);
    position.digest().write(out);
    out.put((byte) digits.length());
    putDigits(digits, out);
    out.putInt(checksum(out.duplicate().flip().position(from)));
  }

  static void putDigits(String digits, ByteBuffer out) {
    for (int i = 0; i < digits.length(); i++) {
      out.put((byte) digits.charAt(i));
    }
  }

  static Parsed parse(byte[] token) {
    if (token.length < MAGIC.length + 1 + CHECKSUM
        || token.length > MAX_BYTES
        || !Arrays.equals(token, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return new Malformed();
    }
    ByteBuffer in = ByteBuffer.wrap(token);
    if (in.getInt(token.length - CHECKSUM)
        != checksum(ByteBuffer.wrap(token, 0, token.length - CHECKSUM))) {
      return new Malformed();
    }
    in.position(MAGIC.length);
    if (in.get() != FORMAT) {
      return new OtherFormat();
    }
    if (token.length <= BEFORE_VERSION + CHECKSUM) {
      return new Malformed();
    }
    long cluster = in.getLong();
    long type = in.getLong();
    long selection = in.getLong();
    StateDigest digest = StateDigest.read(in);
    int length = in.get();
    if (length != in.remaining() - CHECKSUM) {
      return new Malformed();
    }
    byte[] digits = new byte[length];
    in.get(digits);
    ResourceVersion version =
        ResourceVersion.parse(new String(digits, StandardCharsets.ISO_8859_1));
    return version == null
        ? new Malformed()
        : new Valid(cluster, type, selection, new Position(version, digest));
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
