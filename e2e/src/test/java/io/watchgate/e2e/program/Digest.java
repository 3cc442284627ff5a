package io.watchgate.e2e.program;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of entries in {@code .cache}: a different name for each state of an entry's inputs. */
public final class Digest {
  private Digest() {}

  /** Returns 16 hexadecimal digits. */
  public static String of(String... parts) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(String.join("\0", parts).getBytes(UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
