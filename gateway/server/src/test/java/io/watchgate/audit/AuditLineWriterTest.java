package io.watchgate.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writing, losing and counting lines of an audit log. */
@Timeout(300)
final class AuditLineWriterTest {
  /** Longer than any pause of the machine: the lines that remain after it count as lost. */
  private static final Duration PATIENT_CLOSE = Duration.ofMinutes(3);

  @TempDir private Path folder;

  private static List<String> lines(int count) {
    return IntStream.range(0, count).mapToObj(i -> "{\"line\":" + i + "}").toList();
  }

  @Test
  void lines_areAppendedAndFlushedWhileOpen() throws IOException {
    Path file = Files.writeString(folder.resolve("audit"), "before\n");
    try (AuditLineWriter audit = AuditLineWriter.toFile(file, PATIENT_CLOSE)) {
      audit.write("{\"a\":\"\u00e4\ud83d\ude00\"}");
      await().until(() -> Files.readString(file).contains("}\n"));
      audit.write("{}");
      assertThat(audit.lostLines()).isZero();
    }

    assertThat(file).hasContent("before\n{\"a\":\"\u00e4\ud83d\ude00\"}\n{}\n");
  }

  @Test
  void close_writesQueuedLines_laterLinesAreCounted() throws IOException {
    Path file = folder.resolve("audit");
    AuditLineWriter audit = AuditLineWriter.toFile(file, PATIENT_CLOSE);
    lines(50_000).forEach(audit::write);
    audit.close();

    assertThat(Files.readAllLines(file)).isEqualTo(lines(50_000));
    assertThat(audit.lostLines()).isZero();
    audit.write("{}");
    assertThat(audit.lostLines()).isEqualTo(1);
  }

  @Test
  void unwritableFile_failsAtCreation() throws IOException {
    Path missing = folder.resolve("no/such/folder/audit");

    assertThatThrownBy(() -> AuditLineWriter.toFile(missing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--audit-log")
        .hasMessageContaining(missing.toString());
    assertThatThrownBy(() -> AuditLineWriter.toFile(folder)).hasMessageContaining("--audit-log");
  }

  /** A pipe without a reading process simulates a hanging disk. */
  @Test
  void hangingDisk_linesAreCounted_writingResumes() throws Exception {
    Path pipe = pipe();
    try (var reader = Files.newInputStream(opened(pipe));
        AuditLineWriter audit = AuditLineWriter.toFile(pipe)) {
      List<String> all = lines(300_000);
      all.forEach(audit::write);
      long lost = audit.lostLines();
      assertThat(lost).isBetween(150_000L, 300_000L - 65_536);

      List<String> read = new ArrayList<>();
      var in = new BufferedReader(new InputStreamReader(reader, StandardCharsets.UTF_8));
      while (read.size() < all.size() - lost) {
        read.add(in.readLine());
      }
      assertThat(new HashSet<>(all).containsAll(read)).isTrue();
      audit.write("{\"later\":1}");
      assertThat(in.readLine()).isEqualTo("{\"later\":1}");
      assertThat(audit.lostLines()).isEqualTo(lost);
    }
  }

  @Tag("slow")
  @Test
  void close_hangingDisk_takesTwoSeconds() throws Exception {
    Path pipe = pipe();
    try (var reader = Files.newInputStream(opened(pipe))) {
      AuditLineWriter audit = AuditLineWriter.toFile(pipe);
      lines(300_000).forEach(audit::write);
      long before = audit.lostLines();
      long begin = System.nanoTime();
      audit.close();

      assertThat(System.nanoTime() - begin).isBetween(1_500_000_000L, 60_000_000_000L);
      assertThat(audit.lostLines()).isGreaterThan(before + 60_000);
      assertThat(reader.read()).isEqualTo('{');
    }
  }

  /** /dev/full exists on every Linux, and writes to it always fail for lack of space. */
  @Test
  void fullDisk_linesAreCounted() throws IOException {
    try (AuditLineWriter audit = AuditLineWriter.toFile(Path.of("/dev/full"))) {
      audit.write("{}");
      audit.write("x".repeat(1 << 20));
      await().until(() -> audit.lostLines() == 1);
      audit.write("x".repeat(1 << 20));
      await().until(() -> audit.lostLines() == 2);
    }
  }

  private Path pipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  /** Opening one end of a pipe blocks until the other end is opened. */
  private static Path opened(Path pipe) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                Files.newOutputStream(pipe).close();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    return pipe;
  }
}
