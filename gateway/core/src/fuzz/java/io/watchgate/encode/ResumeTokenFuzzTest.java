package io.watchgate.encode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.StateDigest;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.StreamRequest;
import io.watchgate.proto.v1.ErrorReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Fuzz test: any bytes are refused or are a token that encodes to the same bytes, with a valid
 * checksum or not.
 */
final class ResumeTokenFuzzTest {
  private static final SelectionTokens TOKENS =
      SelectionTokens.of(
          new HistoryId("cluster", CacheWriter.DEFINITION),
          StreamRequest.EVERYTHING.selection(),
          ObjectProjection.FULL);

  @FuzzTest
  void anyBytes_areRefusedOrReencodeEqually(byte[] token) throws ApiException {
    check(token);
    check(sealed(token));
    check(sealed(ours(token)));
    isReadAsItWasWritten(token);
  }

  private static void check(byte[] token) {
    switch (ResumeTokenFormat.parse(token)) {
      case ResumeTokenFormat.Valid valid -> {
        ByteBuffer written = ByteBuffer.allocate(ResumeTokenFormat.size(valid.position()));
        ResumeTokenFormat.write(
            valid.cluster(), valid.type(), valid.selection(), valid.position(), written);
        assertThat(written.array()).isEqualTo(token);
      }
      case ResumeTokenFormat.OtherFormat() -> {
        assertThat(new String(token, 0, 2, US_ASCII)).isEqualTo("Wg");
        assertThat(token[2]).isNotEqualTo((byte) 1);
      }
      case ResumeTokenFormat.Malformed() -> {}
    }
    try {
      TokenCheck found = TOKENS.check(ByteString.copyFrom(token));
      if (found instanceof TokenCheck.Good(Position position)) {
        assertThat(TOKENS.encode(position).toByteArray()).isEqualTo(token);
      }
    } catch (ApiException e) {
      assertThat(e.error().field()).isEqualTo("resume_token");
      assertThat(e.error().reason())
          .isIn(
              ErrorReason.ERROR_REASON_TOKEN_MALFORMED,
              ErrorReason.ERROR_REASON_TOKEN_OTHER_SELECTION);
    }
  }

  /** Returns the token with a valid checksum. */
  private static byte[] sealed(byte[] token) {
    CRC32C crc = new CRC32C();
    crc.update(token);
    return ByteBuffer.allocate(token.length + 4).put(token).putInt((int) crc.getValue()).array();
  }

  /** Returns bytes that start like a token of this stream, up to its position. */
  private static byte[] ours(byte[] rest) {
    byte[] token =
        TOKENS.encode(new Position(new ResourceVersion("1"), StateDigest.EMPTY)).toByteArray();
    int begin = 3 + 3 * Long.BYTES;
    byte[] forged = Arrays.copyOf(token, begin + rest.length);
    System.arraycopy(rest, 0, forged, begin, rest.length);
    return forged;
  }

  private static void isReadAsItWasWritten(byte[] seed) throws ApiException {
    ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(seed, 80));
    StateDigest digest = StateDigest.read(bytes);
    StringBuilder digits = new StringBuilder();
    for (int i = Math.floorMod(bytes.get(), ResourceVersion.MAX_DIGITS); i >= 0; i--) {
      digits.append(
          Math.floorMod(bytes.get(), digits.isEmpty() ? 9 : 10) + (digits.isEmpty() ? 1 : 0));
    }
    Position position = new Position(new ResourceVersion(digits.toString()), digest);
    assertThat(TOKENS.check(TOKENS.encode(position))).isEqualTo(new TokenCheck.Good(position));
  }
}
