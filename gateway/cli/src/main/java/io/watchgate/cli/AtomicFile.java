package io.watchgate.cli;

import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * File that is replaced as a whole: a reader, also after a crash of the process, finds the old or
 * the new content. It is not synced to disk.
 */
record AtomicFile(Path path) {
  /** Returns its folder. */
  Path directory() {
    @Nullable Path parent = path.toAbsolutePath().getParent();
    return parent == null ? Path.of("/") : parent;
  }

  /**
   * Replaces the content.
   *
   * @throws IOException if it cannot be written; the message is the reason, without the name
   */
  void replace(String text) throws IOException {
    Path fresh =
        directory().resolve("." + path.getFileName() + "." + ProcessHandle.current().pid());
    try {
      Files.writeString(fresh, text);
      move(fresh);
    } catch (IOException e) {
      IOException failure = new IOException(FileErrors.ofWriting(e), e);
      try {
        Files.deleteIfExists(fresh);
      } catch (IOException left) {
        failure.addSuppressed(left); // the reason is the first failure
      }
      throw failure;
    }
  }

  private void move(Path fresh) throws IOException {
    try {
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
