package io.watchgate.kube;

import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * File with a bearer token that is rotated by another process. It is read again when the token is
 * old ({@link KubeSettings.Ages#token}), and after the apiserver rejected the token. Thread-safe.
 */
final class TokenFileSource implements CredentialSource {
  private final Path file;
  private final long maxAgeNanos;
  private final LongSupplier nanoTime;
  private String cached = "";
  private long readAt;

  TokenFileSource(Path file, Duration maxAge, LongSupplier nanoTime) {
    this.file = file;
    this.maxAgeNanos = maxAge.toNanos();
    this.nanoTime = nanoTime;
  }

  /**
   * Returns the token to send.
   *
   * @throws IOException if the file cannot be read and never could
   */
  @Override
  public synchronized RequestCredentials current() throws IOException {
    long now = nanoTime.getAsLong();
    if (cached.isEmpty() || now - readAt >= maxAgeNanos) {
      try {
        cached = read(file);
        readAt = now;
      } catch (IOException e) {
        // The file may be in the middle of its renewal, and the old token may still be valid.
        if (cached.isEmpty()) {
          throw e;
        }
      }
    }
    return RequestCredentials.bearer(cached);
  }

  @Override
  public synchronized void onRejected(RequestCredentials refused) {
    readAt = nanoTime.getAsLong() - maxAgeNanos;
  }

  static String read(Path file) throws IOException {
    String token;
    try {
      token = Files.readString(file).strip();
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not text", e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + FileErrors.reason(e), e);
    }
    if (token.isEmpty()) {
      throw new IOException(file + " is empty, where a token was expected");
    }
    if (!wellFormed(token)) {
      throw new IOException(file + " holds white space or characters that no token has");
    }
    return token;
  }

  static boolean wellFormed(String token) {
    return token.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
