package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.launcher.FakeClone.Result;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of when caches are trained and which cache a start uses, with a fake Java. */
@Timeout(600)
class TrainingTest {
  /** Fake Java that does what the training waits for, and writes its cache when it is stopped. */
  private static final String JAVA =
      """
      for option; do
        case $option in
          -XX:AOTCacheOutput=*) cache=${option#*=} ;;
        esac
      done
      trap 'kill $sleeper; echo cache >"$cache"; exit' TERM
      case " $* " in
        *" serve "*) echo "serving gRPC on 127.0.0.1:1 (plaintext)" >&2 ;;
        *" watch "* | *" demo "*) for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo web-0; done ;;
      esac
      [ -n "${WATCHGATE_TRAINING:-}" ] || exit 0
      sleep 30 &
      sleeper=$!
      wait
      """;

  @TempDir private Path machine;
  private FakeClone clone;
  private Path aot;

  @BeforeEach
  void makeClone() throws Exception {
    machine = machine.toRealPath();
    clone = new FakeClone(machine);
    clone.built();
    clone.jdk("25.0.1", JAVA);
    clone.trainable();
    aot = clone.app().resolve("aot");
  }

  @Test
  void startWithoutCache_trainsOne() throws Exception {
    Result first = clone.run("watch", "pods");
    assertThat(first.out()).doesNotContain("AOT");
    assertThat(first.err()).isEmpty();

    awaitTraining();

    assertThat(clone.run("watch", "pods").out())
        .contains("-XX:AOTCache=" + aot.resolve("client-25.0.1.aot"));
    for (String command : List.of("serve", "sandbox")) {
      assertThat(clone.run(command).out())
          .contains("-XX:AOTCache=" + aot.resolve("server-25.0.1.aot"));
    }
    assertThat(clone.run("demo").out()).contains("-XX:AOTCache=" + aot.resolve("demo-25.0.1.aot"));
    assertThat(aot).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void concurrentStarts_trainOnce() throws Exception {
    clone.replace("date", "echo trained >>" + machine.resolve("trained"));

    Process one = clone.start(machine, clone.launcher(), "watch", "pods");
    Process two = clone.start(machine, clone.launcher(), "watch", "pods");
    assertThat(one.waitFor() + two.waitFor()).isZero();
    awaitTraining();

    assertThat(machine.resolve("trained")).hasContent("trained");
  }

  @Test
  void changedCache_isRetrained() throws Exception {
    train();
    Path cache = Files.writeString(aot.resolve("client-25.0.1.aot"), "damaged");
    Files.setLastModifiedTime(cache, FileTime.from(Instant.now().plusSeconds(5)));

    assertThat(clone.run("watch", "pods").out()).doesNotContain("AOT");

    await().atMost(Duration.ofMinutes(3)).until(() -> Files.readString(cache).equals("cache\n"));
  }

  @Test
  void cacheOfOtherJdk_isSkipped() throws Exception {
    train();
    clone.set("JAVA_HOME", clone.jdk("26-ea", JAVA));

    assertThat(clone.run("watch", "pods").out()).doesNotContain("AOT");
    awaitTraining("26-ea");

    assertThat(clone.run("watch", "pods").out()).contains("client-26-ea.aot");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-XX:+UseZGC", "-XX:AOTMode=off", "-XX:SharedArchiveFile=x", "-Xshare:off"})
  void conflictingOptions_startWithoutCache(String options) throws Exception {
    train();
    clone.set("WATCHGATE_JAVA_OPTS", options);

    assertThat(clone.run("watch", "pods").out()).doesNotContain("-XX:AOTCache");
  }

  @Test
  void training_canBeDisabled() throws Exception {
    clone.set("WATCHGATE_AOT", "off");
    clone.set("WATCHGATE_DEBUG", "yes");

    Result result = clone.run("watch", "pods");

    assertThat(result.err()).isEqualTo("watchgate: no trained cache: WATCHGATE_AOT is off\n");
    assertThat(aot).isEmptyDirectory();
  }

  @Test
  void failedTraining_isNotRetried() throws Exception {
    clone.jdk("25.0.1", JAVA.replace("echo cache >", ": >"));
    train();
    clone.set("WATCHGATE_DEBUG", "yes");

    assertThat(clone.run("watch", "pods").err()).contains("training failed, see " + aot);
    assertThat(aot.resolve("trainer")).doesNotExist();
  }

  private void train() throws Exception {
    assertThat(clone.run("watch", "pods").code()).isZero();
    awaitTraining();
  }

  private void awaitTraining() {
    awaitTraining("25.0.1");
  }

  private void awaitTraining(String jdk) {
    await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () ->
                Files.exists(aot.resolve("server-" + jdk + ".key"))
                    && !Files.exists(aot.resolve("trainer")));
  }
}
