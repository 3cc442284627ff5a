package io.watchgate.encode;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.StateDigest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tokens are read as written, and that other bytes are recognized. */
final class ResumeTokenTest {
  private static byte[] token(String version) {
    long hash = 0x0102030405060708L;
    Position position = new Position(new ResourceVersion(version), new StateDigest(-1, 5));
    ByteBuffer out = ByteBuffer.allocate(ResumeTokenFormat.size(position) + 3).position(3);
    ResumeTokenFormat.write(hash, hash, hash, position, out);
    assertThat(out.remaining()).isZero();
    return Arrays.copyOfRange(out.array(), 3, out.position());
  }

  private static byte[] sealed(byte[] token) {
    CRC32C crc = new CRC32C();
    crc.update(token, 0, token.length - 4);
    ByteBuffer.wrap(token).putInt(token.length - 4, (int) crc.getValue());
    return token;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "18446744073709551615", "9999999999999999999999999999999999999999"})
  void token_isReadAsWrittenAndShort(String version) {
    byte[] token = token(version);

    assertThat(token).hasSizeLessThan(128);
    assertThat(ResumeTokenFormat.parse(token))
        .isInstanceOfSatisfying(
            ResumeTokenFormat.Valid.class,
            valid ->
                assertThat(valid.position())
                    .isEqualTo(new Position(new ResourceVersion(version), new StateDigest(-1, 5))));
  }

  @Test
  void changedOrMissingByte_isMalformed() {
    byte[] token = token("123");
    for (int i = 0; i < token.length; i++) {
      byte[] changed = token.clone();
      changed[i] ^= 1;
      assertThat(ResumeTokenFormat.parse(changed)).isEqualTo(new ResumeTokenFormat.Malformed());
      assertThat(ResumeTokenFormat.parse(Arrays.copyOf(token, i)))
          .isEqualTo(new ResumeTokenFormat.Malformed());
    }
  }

  @Test
  void tokenOfAnotherFormat_isRecognized() {
    byte[] other = token("123");
    other[2] = 2;
    assertThat(ResumeTokenFormat.parse(sealed(other)))
        .isEqualTo(new ResumeTokenFormat.OtherFormat());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "01", "1a", "/", " 1"})
  void invalidVersionWithAValidChecksum_isMalformed(String digits) {
    byte[] token = token("1".repeat(digits.length()));
    for (int i = 0; i < digits.length(); i++) {
      token[token.length - 4 - digits.length() + i] = (byte) digits.charAt(i);
    }
    assertThat(ResumeTokenFormat.parse(sealed(token))).isEqualTo(new ResumeTokenFormat.Malformed());
  }
}
