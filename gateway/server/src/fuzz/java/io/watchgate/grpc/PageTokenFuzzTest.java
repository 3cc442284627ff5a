package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.watchgate.cache.ResourceVersion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Fuzz test: any bytes are a page token that encodes to the same bytes, or are invalid, with a
 * valid checksum or without.
 */
final class PageTokenFuzzTest {
  private static final byte[] MAGIC = {'W', 'p', 1};
  private static final int BEFORE_VERSION = 24 + 16 + 8;

  @FuzzTest
  void aForgeryIsNoneOrIsTheTokenThatItSays(byte[] token) {
    check(token);
    check(sealed(token));
    check(sealed(begun(token)));
    check(sealed(begun(versioned(token))));
  }

  private static void check(byte[] bytes) {
    PageToken token = PageToken.parse(bytes);
    if (token != null) {
      assertThat(token.encode()).isEqualTo(bytes);
      assertThat(ResourceVersion.parse(token.version().digits())).isEqualTo(token.version());
      assertThat(token.identity()).hasSize(24);
    }
  }

  /** Appends a valid checksum. */
  private static byte[] sealed(byte[] token) {
    CRC32C crc = new CRC32C();
    crc.update(token);
    return ByteBuffer.allocate(token.length + 4).put(token).putInt((int) crc.getValue()).array();
  }

  private static byte[] begun(byte[] token) {
    return ByteBuffer.allocate(MAGIC.length + token.length).put(MAGIC).put(token).array();
  }

  /** Inserts a version, if there is room for one; the bytes after it are a key. */
  private static byte[] versioned(byte[] token) {
    byte[] copy = Arrays.copyOf(token, Math.max(token.length, BEFORE_VERSION + 3));
    copy[BEFORE_VERSION] = 2;
    copy[BEFORE_VERSION + 1] = '4';
    copy[BEFORE_VERSION + 2] = '2';
    PageToken parsed = PageToken.parse(sealed(begun(copy)));
    assertThat(parsed).isNotNull();
    return copy;
  }
}
