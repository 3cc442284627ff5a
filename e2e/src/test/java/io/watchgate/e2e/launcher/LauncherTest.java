package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.launcher.FakeClone.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class LauncherTest {
  @TempDir private Path machine;
  private FakeClone clone;

  @BeforeEach
  void makeClone() throws Exception {
    machine = machine.toRealPath();
    clone = new FakeClone(machine);
  }

  @Test
  void anOlderJavaHomeIsPassedOverForAJdkThatIsNewEnough() throws Exception {
    clone.built();
    clone.set("JAVA_HOME", clone.jdk("17.0.15", ""));
    clone.jdk("1.8.0_452", "");
    clone.jdk("25.0.1", "");

    Result result = clone.run("watch", "pods", "-l", "a b");

    assertThat(result.out()).startsWith("java 25.0.1 ").endsWith(" watch pods -l a b\n");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void aJavaHomeThatIsNewEnoughComesFirst() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("JAVA_HOME", clone.jdk("26-ea", ""));

    assertThat(clone.run().out()).startsWith("java 26-ea ");
  }

  @Test
  void whereNoJdkIsNewEnoughTheOthersAreNamed() throws Exception {
    clone.built();
    Path old = clone.jdk("17.0.15", "");

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("Java 25 or later is needed; found:", "17.0.15 in " + old, "WATCHGATE_JAVA_HOME");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void theJdkThatIsNamedIsTheOnlyOne() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "");
    clone.set("WATCHGATE_JAVA_HOME", clone.jdk("21.0.7", ""));

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("WATCHGATE_JAVA_HOME is ", "which is Java 21.0.7");
  }

  @Test
  void itRunsFromAnyFolderAndThroughLinks() throws Exception {
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
  void theExitCodeIsThatOfJava() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "exit 42");

    assertThat(clone.run().code()).isEqualTo(42);
  }

  @Test
  void aSignalReachesJava() throws Exception {
    clone.built();
    clone.jdk("25.0.1", "trap 'echo told; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done");

    Process process = clone.start(machine, clone.launcher());
    await().until(() -> clone.out().contains("ready"));
    process.destroy();

    Result result = clone.end(process);
    assertThat(result.code()).isEqualTo(7);
    assertThat(result.out()).endsWith("told\n");
  }

  @Test
  void itBuildsOnFirstUseAndAgainWhenASourceIsNewer() throws Exception {
    clone.jdk("25.0.1", "");

    Result first = clone.run();
    assertThat(first.err()).contains("building; the first time");
    assertThat(first.out()).as("data only").startsWith("java 25.0.1 ").hasLineCount(1);
    assertThat(clone.run().err()).isEmpty();
    assertThat(clone.builds()).isEqualTo(1);

    Path source = Files.createFile(clone.root().resolve("gateway/src/main/New.java"));
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(clone.run().err()).contains("because a source is newer");
    assertThat(clone.builds()).isEqualTo(2);
  }

  @Test
  void aBuildThatFailsIsShownAndTriedAgainNextTime() throws Exception {
    clone.jdk("25.0.1", "");
    clone.maven("echo '[ERROR] no such symbol'; exit 1");

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("[ERROR] no such symbol", "the build failed");
    clone.maven("mkdir -p gateway/target/lib; touch gateway/target/watchgate-gateway-1.jar");
    assertThat(clone.run().code()).isZero();
  }

  @Test
  void withoutMavenItSaysWhichOneIsNeeded() throws Exception {
    clone.jdk("25.0.1", "");
    clone.withoutMaven();

    Result result = clone.run();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("Maven 3.8 or later is needed");
  }

  @Test
  void aSignalEndsTheBuildAsWell() throws Exception {
    clone.jdk("25.0.1", "");
    clone.maven("echo $$ >started; exec sleep 60");
    Path started = clone.root().resolve("started");

    Process process = clone.start(machine, clone.launcher());
    await().until(() -> Files.exists(started) && Files.size(started) > 0);
    long maven = Long.parseLong(Files.readString(started).strip());
    process.destroy();

    assertThat(clone.end(process).code()).isEqualTo(143);
    await().until(() -> ProcessHandle.of(maven).filter(ProcessHandle::isAlive).isEmpty());
    assertThat(clone.root().resolve(".cache/watchgate/lock")).doesNotExist();
  }
}
