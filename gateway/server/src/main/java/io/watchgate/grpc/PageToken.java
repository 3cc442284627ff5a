package io.watchgate.grpc;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateDigest;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Position of a list between two pages: after {@code lastKey}, in the state at a version.
 *
 * <pre>
 * 'W' 'p' format(1) identity(24) digest(16) total(8) length(1) version(length) lastKey(rest) crc32c(4)
 * </pre>
 *
 * @param identity hashes of cluster, type and selection
 * @param total number of objects that match
 */
@SuppressWarnings("ArrayRecordComponent") // compared with Arrays.equals where needed
record PageToken(
    byte[] identity, ResourceVersion version, StateDigest digest, long total, byte[] lastKey) {
  private static final byte[] MAGIC = {'W', 'p', 1};
  private static final int IDENTITY = 24;

  byte[] encode() {
    byte[] digits = version.digits().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out =
        ByteBuffer.allocate(
            MAGIC.length
                + IDENTITY
                + StateDigest.BYTES
                + 8
                + 1
                + digits.length
                + lastKey.length
                + 4);
    out.put(MAGIC).put(identity);
    digest.write(out);
    out.putLong(total).put((byte) digits.length).put(digits).put(lastKey);
    out.putInt(checksum(out.array(), out.position()));
    return out.array();
  }

  /** Returns null if the bytes are not a token. */
  static @Nullable PageToken parse(byte[] token) {
    try {
      ByteBuffer in = ByteBuffer.wrap(token);
      if (token.length < 4
          || in.getInt(token.length - 4) != checksum(token, token.length - 4)
          || !Arrays.equals(take(in, MAGIC.length), MAGIC)) {
        return null;
      }
      byte[] identity = take(in, IDENTITY);
      StateDigest digest = StateDigest.read(in);
      long total = in.getLong();
      int length = in.get();
      if (length < 0) {
        return null;
      }
      ResourceVersion version =
          ResourceVersion.parse(new String(take(in, length), StandardCharsets.ISO_8859_1));
      int rest = in.remaining() - 4;
      return version == null || rest < 0
          ? null
          : new PageToken(identity, version, digest, total, take(in, rest));
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  /** Returns whether {@code revision} has the state that the list began with. */
  boolean isOf(Revision revision) {
    return revision.digest().equals(digest);
  }

  private static byte[] take(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
