package io.watchgate.e2e.faults;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Token as an attacker, or another replica, may create it: well formed, with a chosen position.
 *
 * @param before bytes before the digest
 * @param digest of the state, 16 bytes
 */
record ForgedToken(ByteString before, ByteString digest, String version) {
  private static final int DIGEST_AT = 27;
  private static final int VERSION_AT = DIGEST_AT + 16;
  private static final int CHECKSUM = 4;

  static ForgedToken of(ByteString token) {
    return new ForgedToken(
        token.substring(0, DIGEST_AT),
        token.substring(DIGEST_AT, VERSION_AT),
        token.substring(VERSION_AT + 1, token.size() - CHECKSUM).toStringUtf8());
  }

  ForgedToken withVersion(String other) {
    return new ForgedToken(before, digest, other);
  }

  ForgedToken withOtherDigest() {
    return new ForgedToken(before, ByteString.copyFrom(new byte[digest.size()]), version);
  }

  ByteString bytes() {
    ByteString content =
        before
            .concat(digest)
            .concat(ByteString.copyFrom(new byte[] {(byte) version.length()}))
            .concat(ByteString.copyFrom(version, StandardCharsets.US_ASCII));
    CRC32C checksum = new CRC32C();
    checksum.update(content.toByteArray());
    ByteBuffer end = ByteBuffer.allocate(CHECKSUM).putInt((int) checksum.getValue());
    return content.concat(ByteString.copyFrom(end.array()));
  }
}
