package io.watchgate.pem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where certificates or a private key stand in PEM. */
public sealed interface PemSource {

  /**
   * What stands there now.
   *
   * @throws IOException which names the file and says why it cannot be read
   */
  String read() throws IOException;

  /** In the configuration itself, for good. */
  record Inline(String pem) implements PemSource {
    @Override
    public String read() {
      return pem;
    }

    /** It may be a private key. */
    @Override
    public String toString() {
      return "Inline[...]";
    }
  }

  /** In a file, which others may replace at any time. */
  record InFile(Path file) implements PemSource {
    @Override
    public String read() throws IOException {
      try {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
      } catch (IOException e) {
        throw new IOException("cannot read " + file + ": " + FileErrors.reason(e), e);
      }
    }
  }
}
