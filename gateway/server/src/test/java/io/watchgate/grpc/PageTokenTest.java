package io.watchgate.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.StateDigest;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that page tokens are parsed as they were encoded, or not at all. */
final class PageTokenTest {
  private static PageToken token(String version, String lastKey) {
    byte[] identity = new byte[24];
    Arrays.fill(identity, (byte) 7);
    return new PageToken(
        identity,
        new ResourceVersion(version),
        new StateDigest(1, -2),
        42,
        lastKey.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "n/a", "/node-1"})
  void token_roundTrip(String lastKey) {
    PageToken written = token("9".repeat(40), lastKey);

    PageToken read = Objects.requireNonNull(PageToken.parse(written.encode()));

    assertThat(read).usingRecursiveComparison().isEqualTo(written);
  }

  @Test
  void token_withAChangedByte_isInvalid() {
    byte[] token = token("123", "namespace/name").encode();
    for (int i = 0; i < token.length; i++) {
      byte[] changed = token.clone();
      changed[i] ^= 0x20;
      assertThat(PageToken.parse(changed)).as("byte %d", i).isNull();
    }
  }

  @Test
  void truncatedToken_isInvalid() {
    byte[] token = token("123", "namespace/name").encode();
    for (int length = 0; length < token.length; length++) {
      assertThat(PageToken.parse(Arrays.copyOf(token, length))).as("%d bytes", length).isNull();
    }
  }
}
