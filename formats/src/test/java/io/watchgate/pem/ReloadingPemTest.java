package io.watchgate.pem;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReloadingPemTest {
  @Test
  void contentThatComesBack_hasNoProblemAnyMore(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("text");
    ReloadingPem<String> reread =
        new ReloadingPem<>(
            "the text",
            List.of(new PemSource.InFile(file)),
            texts -> {
              if (texts.getFirst().equals("broken")) {
                throw new PemException("it is broken");
              }
              return texts.getFirst();
            });
    for (int round = 0; round < 2; round++) {
      Files.writeString(file, "good");
      assertThat(reread.current()).isEqualTo("good");
      assertThat(reread.problem()).isEmpty();
      Files.writeString(file, "broken");
      assertThat(reread.current()).isEqualTo("good");
      assertThat(reread.problem()).isEqualTo("it is broken");
    }
  }
}
