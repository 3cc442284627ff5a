package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.launcher.FakeClone.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the script that builds the image's runtime, on a machine with fake JDKs that only print
 * their version.
 */
@Timeout(600)
class RuntimeScriptTest {
  @TempDir private Path machine;
  private FakeClone clone;

  @BeforeEach
  void makeClone() throws Exception {
    machine = machine.toRealPath();
    clone = new FakeClone(machine);
    Path target = Files.createDirectories(clone.root().resolve("gateway/cli/target"));
    Files.createDirectories(target.resolve("lib"));
    Files.writeString(target.resolve("watchgate-cli-1.jar"), "jar");
  }

  /** Runs the script; {@code folder} is below the machine's. */
  private Result make(String folder) throws IOException, InterruptedException {
    return clone.end(clone.start(machine, clone.runtime(), machine.resolve(folder).toString()));
  }

  private void jdk(String version, String jlink) throws IOException {
    clone.program(clone.jdk(version, ""), "jlink", jlink);
  }

  private Stream<String> made() throws IOException {
    try (Stream<Path> files = Files.list(machine.resolve("images"))) {
      return files.map(file -> file.getFileName().toString()).toList().stream();
    }
  }

  @Test
  void olderJdkOnPath_isSkipped() throws Exception {
    Path old = clone.jdk("17.0.15", "");
    clone.program(old, "jlink", "echo 'Error: Invalid compression level zip-6'; exit 1");
    clone.set("JAVA_HOME", old);
    jdk("25.0.1", "for last; do :; done; mkdir \"$last\"; echo made by 25");

    Result result = make("images/one/");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).isEqualTo("made by 25\n");
    assertThat(made()).containsExactly("one");
    assertThat(machine.resolve("images/one/java")).isDirectory();
    assertThat(machine.resolve("images/one/app/watchgate.jar")).hasContent("jar");
    assertThat(machine.resolve("images/one/watchgate")).isExecutable();
  }

  @Test
  void jdkWithoutJlink_isSkipped() throws Exception {
    clone.set("JAVA_HOME", clone.jdk("26", ""));
    jdk("25.0.1", "for last; do :; done; mkdir \"$last\"");

    assertThat(make("images/one").code()).isZero();
  }

  @Test
  void failedAttempt_leavesNothing() throws Exception {
    jdk("25.0.1", "for last; do :; done; mkdir \"$last\"; echo no room >&2; exit 1");

    Result failed = make("images/one");
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.err()).isEqualTo("no room\n");
    assertThat(made()).isEmpty();

    jdk("25.0.1", "for last; do :; done; mkdir \"$last\"");
    Files.createDirectories(machine.resolve("images/one")); // left behind by an older version
    assertThat(make("images/one").code()).isZero();
    assertThat(machine.resolve("images/one/watchgate")).isExecutable();
  }

  @Test
  void withoutJdk25_othersAreNamed() throws Exception {
    Path old = clone.jdk("17.0.15", "");
    clone.program(old, "jlink", "exit 1");

    Result result = make("images/one");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("runtime: Java 25 or later is needed; found:")
        .contains("17.0.15 in " + old);
    assertThat(machine.resolve("images")).doesNotExist();
  }

  @Test
  void folderWithFiles_isNotModified() throws Exception {
    jdk("25.0.1", "exit 1");
    Path file = Files.createDirectories(machine.resolve("images/one")).resolve("mine");
    Files.createFile(file);

    Result result = make("images/one");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("images/one is there already, and not a complete one; remove it");
    assertThat(file).exists();
  }
}
