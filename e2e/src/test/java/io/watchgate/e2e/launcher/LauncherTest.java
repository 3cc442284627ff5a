package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.launcher.FakeClone.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
class LauncherTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String ONE = "  One          Example of one.\n";

  @TempDir private Path machine;
  private FakeClone clone;

  @BeforeEach
  void makeClone() throws Exception {
    machine = machine.toRealPath();
    clone = new FakeClone(machine);
  }

  @Test
  void olderJavaHome_isSkipped() throws Exception {
    clone.built();
    clone.set("JAVA_HOME", clone.jdk("17.0.15", ""));
    clone.jdk("1.8.0_452", "");
    clone.jdk("25.0.1", "");

    Result result = clone.run("watch", "pods", "-l", "a b");

    assertThat(result.out()).startsWith("java 25.0.1 ").endsWith(" watch pods -l a b\n");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void newEnoughJavaHome_isPreferred() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("JAVA_HOME", clone.jdk("26-ea", ""));

    assertThat(clone.run().out()).startsWith("java 26-ea ");
  }

  @Test
  void noNewEnoughJdk_namesTheOthers() throws Exception {
    clone.built();
    Path old = clone.jdk("17.0.15", "");

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("Java 25 or later is needed; found:", "17.0.15 in " + old, "WATCHGATE_JAVA_HOME");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void namedJdk_isTheOnlyCandidate() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("WATCHGATE_JAVA_HOME", clone.jdk("21.0.7", ""));

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("WATCHGATE_JAVA_HOME is ", "which is Java 21.0.7");
  }

  @Test
  void launcher_runsFromAnyFolderAndLinks() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    Path elsewhere = Files.createDirectories(machine.resolve("a b/c"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("wg"), clone.launcher());
    Path second = Files.createSymbolicLink(machine.resolve("wg"), Path.of("a b/c/wg"));

    for (Path command : new Path[] {clone.launcher(), link, second}) {
      Result result = clone.end(clone.start(elsewhere, command));
      assertThat(result.err()).isEmpty();
      assertThat(result.out())
          .contains("-jar " + clone.root().resolve(".cache/watchgate/app/watchgate.jar"));
    }
  }

  @Test
  void example_runsFromSource() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("WATCHGATE_JAVA_OPTS", "-Dgateway=1");
    Path example = example();

    assertThat(clone.run("example", "One", "more").out())
        .endsWith(" -Dgateway=1 -cp " + clone.app() + "/watchgate.jar " + example + " more\n");

    Result unknown = clone.run("example", "Two");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).isEqualTo("watchgate: there is no example 'Two'. Examples:\n" + ONE);
    assertThat(unknown.out()).isEmpty();
  }

  @Test
  void example_withoutName_isList() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    example();

    Result result = clone.run("example");
    assertThat(result.code()).isZero();
    assertThat(result.out())
        .startsWith(ONE)
        .endsWith(
            "\nStart a gateway, as with './watchgate demo', then run one: ./watchgate example"
                + " NAME\n");
    assertThat(result.err()).isEmpty();
  }

  private Path example() throws IOException {
    Files.createDirectories(clone.root().resolve("examples"));
    return Files.writeString(
        clone.root().resolve("examples/One.java"),
        "import java.util.List;\n\n/** Example of one. */\nclass One {}\n");
  }

  @Test
  void exitCode_isThatOfJava() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "exit 42");

    assertThat(clone.run().code()).isEqualTo(42);
  }

  @Test
  void signal_reachesJava() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "trap 'echo told; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done");

    Process process = clone.start(machine, clone.launcher());
    await().atMost(LIMIT).until(() -> clone.out().contains("ready"));
    process.destroy();

    Result result = clone.end(process);
    assertThat(result.code()).isEqualTo(7);
    assertThat(result.out()).endsWith("told\n");
  }

  @Test
  void build_runsOnFirstUseAndForNewerSource() throws Exception {
    clone.jdk("25.0.1", "");

    Result first = clone.run();
    assertThat(first.err()).contains("building; the first time");
    assertThat(first.out()).as("data only").startsWith("java 25.0.1 ").hasLineCount(1);
    assertThat(clone.run().err()).isEmpty();
    assertThat(clone.builds()).isEqualTo(1);

    Path source = Files.createFile(clone.root().resolve("gateway/core/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(clone.run().err()).contains("because a source is newer");
    assertThat(clone.builds()).isEqualTo(2);

    Files.setLastModifiedTime(source, FileTime.fromMillis(0));
    Path templates = Files.createDirectories(clone.root().resolve("gateway/deploy/manifests"));
    clone.run();
    assertThat(clone.run().err()).isEmpty();
    Path template = Files.createFile(templates.resolve("new.yaml"));
    Files.setLastModifiedTime(template, FileTime.from(Instant.now().plusSeconds(10)));
    assertThat(clone.run().err()).contains("because a source is newer");
  }

  @Test
  void failedBuild_isShownAndRetried() throws Exception {
    clone.jdk("25.0.1", "");
    clone.maven("echo '[ERROR] no such symbol'; exit 1");

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("[ERROR] no such symbol", "the build failed");
    clone.maven("mkdir -p gateway/cli/target/lib; touch gateway/cli/target/watchgate-cli-1.jar");
    assertThat(clone.run().code()).isZero();
  }

  @Test
  void missingMaven_isReported() throws Exception {
    clone.jdk("25.0.1", "");
    clone.withoutMaven();

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("Maven 3.8 or later is needed");
  }

  @Test
  void signal_endsBuild() throws Exception {
    clone.jdk("25.0.1", "");
    clone.maven("echo $$ >started; exec sleep 60");
    Path started = clone.root().resolve("started");

    Process process = clone.start(machine, clone.launcher());
    await().atMost(LIMIT).until(() -> Files.exists(started) && Files.size(started) > 0);
    long maven = Long.parseLong(Files.readString(started).strip());
    process.destroy();

    assertThat(clone.end(process).code()).isEqualTo(143);
    await()
        .atMost(LIMIT)
        .until(() -> ProcessHandle.of(maven).filter(ProcessHandle::isAlive).isEmpty());
    assertThat(clone.root().resolve(".cache/watchgate/lock")).doesNotExist();
  }

  @Test
  void unwritableBuildFolder_isReported() throws Exception {
    clone.jdk("25.0.1", "");
    Path file = Files.createFile(machine.resolve("file"));
    clone.set("WATCHGATE_CACHE_DIR", file.resolve("cache"));

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo(
            "watchgate: builds are kept in %s/cache, which cannot be written to; set"
                    .formatted(file)
                + " WATCHGATE_CACHE_DIR to a folder of yours.\n");
  }

  @Test
  void buildFolder_isConfigurable() throws Exception {
    clone.jdk("25.0.1", "");
    clone.set("WATCHGATE_CACHE_DIR", machine.resolve("a cache"));

    assertThat(clone.run().out()).contains("-jar " + machine.resolve("a cache") + "/2");
    assertThat(clone.root().resolve(".cache")).doesNotExist();
  }

  /** Simulates a read-only file system; file permissions do not restrict root, who may run this. */
  @Test
  void readOnlyBuiltClone_runs() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    for (String tool : List.of("mkdir", "touch", "mv", "rm", "cp")) {
      clone.replace(tool, "echo 'Read-only file system' >&2; exit 1\n");
    }

    Result result = clone.run("watch", "pods");

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).endsWith(" watch pods\n");
  }

  @Test
  void concurrentStarts_buildOnce() throws Exception {
    clone.jdk("25.0.1", "");
    clone.maven(
        """
        echo built >>built
        sleep 0.5
        mkdir -p gateway/cli/target/lib
        touch gateway/cli/target/watchgate-cli-1.jar
        """);

    Process first = clone.start(machine, clone.launcher());
    Process second = clone.start(machine, clone.launcher());

    assertThat(first.waitFor()).isZero();
    assertThat(second.waitFor()).isZero();
    assertThat(clone.builds()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "serve,     '',                 -XX:+UseSerialGC, false",
    "watch,     '',                 -XX:+UseSerialGC, true",
    "watch,     -XX:+UseParallelGC, -XX:+UseSerialGC, false",
    "watch,     -Xmx1g,             -XX:+UseSerialGC, true",
    "--version, '',                 -XX:+UseSerialGC, true",
  })
  void collector_isDefaultUnlessRequested(
      String command, String asked, String option, boolean expected) throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("WATCHGATE_JAVA_OPTS", asked);

    assertThat(clone.run(command).out().contains(option)).isEqualTo(expected);
  }

  @Test
  void example_requestedCollector_replacesDefault() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    Path examples = Files.createDirectories(clone.root().resolve("examples"));
    Files.createFile(examples.resolve("Own.java"));
    assertThat(clone.run("example", "Own").out()).contains("-XX:+UseSerialGC");

    clone.set("WATCHGATE_JAVA_OPTS", "-XX:+UseParallelGC");
    assertThat(clone.run("example", "Own").out())
        .contains("-XX:+UseParallelGC")
        .doesNotContain("-XX:+UseSerialGC");
  }

  @Test
  void optionsWithAsterisks_areNotExpanded() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    Files.createFile(machine.resolve("-Dname=value"));
    clone.set("WATCHGATE_JAVA_OPTS", "-Dname=*");

    assertThat(clone.run().out()).contains(" -Dname=* ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "help watch",
        "watch --help",
        "try --help",
        "example --help",
        "help"
      })
  void help_withOlderBuild_doesNotRebuild(String line) throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    Path source = Files.createFile(clone.root().resolve("gateway/core/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
    Files.createDirectories(clone.root().resolve(".cache/watchgate/lock"));

    Result result = clone.run(line.split(" "));

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).endsWith("-jar " + clone.app() + "/watchgate.jar " + line + "\n");
    assertThat(clone.builds()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "'', 2, watchgate",
    "--help, 0, watchgate",
    "-h, 0, watchgate",
    "help, 0, watchgate",
    "serve --help, 0, serve",
    "serve -h, 0, serve",
    "help serve, 0, serve"
  })
  void help_withoutBuild_isPrintedFromFile(String line, int code, String file) throws Exception {
    clone.help(file, "Usage: watchgate COMMAND\n");

    Result result = clone.run(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(result.code()).isEqualTo(code);
    assertThat(code == 0 ? result.out() : result.err()).endsWith("Usage: watchgate COMMAND\n");
    assertThat(code == 0 ? result.err() : result.out()).isEmpty();
    assertThat(clone.builds()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"wach --help", "help ../help", "help wach"})
  void help_unknownCommandWithoutBuild_builds(String line) throws Exception {
    clone.jdk("25.0.1", "");
    clone.help("watch", "Usage: watchgate watch\n");

    Result result = clone.run(line.split(" "));

    assertThat(result.err()).contains("building; the first time");
    assertThat(result.out()).endsWith("watchgate.jar " + line + "\n");
  }

  @Test
  void helpOfChildCommand_doesNotSkipBuild() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    Path source = Files.createFile(clone.root().resolve("gateway/core/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));

    assertThat(clone.run("watch", "pods", "--", "env", "--help").err())
        .contains("because a source is newer");
  }
}
