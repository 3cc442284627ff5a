package io.watchgate.pem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Source of a PEM text with certificates or a private key. */
public interface PemSource {

  /**
   * Returns the current text.
   *
   * @throws IOException if the source cannot be read; the message names the source and the reason
   */
  String read() throws IOException;

  /** Constant text in the configuration itself. */
  record Inline(String pem) implements PemSource {
    @Override
    public String read() {
      return pem;
    }

    /** Hides the text, which may be a private key. */
    @Override
    public String toString() {
      return "Inline[...]";
    }
  }

  /** File that may be replaced at any time. */
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
