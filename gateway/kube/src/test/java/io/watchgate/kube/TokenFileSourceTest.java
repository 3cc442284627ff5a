package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenFileSourceTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10); // nanoTime may overflow
  @TempDir private Path folder;

  private TokenFileSource token() {
    return new TokenFileSource(folder.resolve("token"), Duration.ofMinutes(1), now::get);
  }

  private void write(String text) throws IOException {
    Files.writeString(folder.resolve("token"), text);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void oldToken_isReloaded() throws IOException {
    TokenFileSource token = token();
    write("first\n");
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    write("second\n");
    pass(Duration.ofSeconds(59));
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    pass(Duration.ofSeconds(1));
    assertThat(token.current().authorization()).isEqualTo("Bearer second");
  }

  @Test
  void rejectedToken_isReloaded() throws IOException {
    TokenFileSource token = token();
    write("first");
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    write("second");
    token.onRejected(token.current());
    assertThat(token.current().authorization()).isEqualTo("Bearer second");
  }

  @Test
  void unreadableFile_keepsOldToken() throws IOException {
    TokenFileSource token = token();
    assertThatThrownBy(token::current).isInstanceOf(IOException.class);
    write("first");
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    write("");
    pass(Duration.ofMinutes(2));
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    Files.delete(folder.resolve("token"));
    assertThat(token.current().authorization()).isEqualTo("Bearer first");
    write("second");
    assertThat(token.current().authorization()).isEqualTo("Bearer second");
  }
}
