package io.watchgate.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileErrorsTest {
  @TempDir private Path folder;

  @Test
  void reading_namesTheReasonInsteadOfThePath() {
    assertThat(FileErrors.reason(new NoSuchFileException("/a"))).isEqualTo("there is no such file");
    assertThat(FileErrors.reason(new AccessDeniedException("/a")))
        .isEqualTo("this user may not read it");
    assertThat(FileErrors.reason(new FileSystemException("/a", null, "Is a directory")))
        .isEqualTo("Is a directory");
    assertThat(FileErrors.reason(new MalformedInputException(3)))
        .isEqualTo("it is not text in UTF-8");
    assertThat(FileErrors.reason(new IOException())).isEqualTo("the system gives no reason");
  }

  @Test
  void writing_namesTheReasonInsteadOfThePath() {
    assertThat(FileErrors.ofWriting(new AccessDeniedException("/a")))
        .isEqualTo("this user may not write it");
    assertThat(FileErrors.ofWriting(new NoSuchFileException("/a"))).contains("no such folder");
    assertThat(FileErrors.ofWriting(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
  }

  @Test
  void text_hasThePathOnce() {
    Path missing = folder.resolve("missing");
    String path = missing.toString();

    assertThatThrownBy(() -> Files.readString(missing))
        .isInstanceOfSatisfying(
            IOException.class,
            e -> assertThat(FileErrors.text(e)).isEqualTo(path + ": there is no such file"));
    assertThatThrownBy(() -> new FileInputStream(missing.toFile()).close())
        .isInstanceOfSatisfying(
            IOException.class,
            e -> assertThat(FileErrors.text(e)).startsWith(path).containsOnlyOnce(path));
    assertThatThrownBy(() -> Files.readAllBytes(folder))
        .isInstanceOfSatisfying(
            IOException.class, e -> assertThat(FileErrors.text(e)).contains("Is a directory"));
  }
}
