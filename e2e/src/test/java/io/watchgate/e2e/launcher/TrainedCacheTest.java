package io.watchgate.e2e.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.launcher.FakeClone.Result;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the launcher with a real JDK and the real gateway: a cache makes it faster and has no
 * other effect.
 */
@Timeout(600)
@Tag("thorough") // a minute of both cores
class TrainedCacheTest {
  private static final long SEED = 20;

  @TempDir private Path machine;

  @Test
  void output_isIndependentOfCache() throws Exception {
    machine = machine.toRealPath();
    FakeClone clone = new FakeClone(machine);
    clone.built();
    Files.delete(clone.app().resolve("watchgate.jar"));
    GatewayBuild.into(clone.app());
    clone.set("WATCHGATE_JAVA_HOME", System.getProperty("java.home"));
    clone.trainable();
    Path aot = clone.app().resolve("aot");

    clone.set("WATCHGATE_AOT", "off");
    List<Result> without = results(clone);
    assertThat(without).extracting(Result::code).containsExactly(0, 1);
    assertThat(without.get(0).out()).startsWith("Usage: watchgate watch");
    assertThat(without.get(1).err()).contains("cannot watch at 127.0.0.1:1");

    clone.set("WATCHGATE_AOT", "");
    assertThat(results(clone)).as("while it is trained").isEqualTo(without);
    await()
        .atMost(Duration.ofSeconds(400))
        .until(
            () -> files(aot, "server-*.key").size() == 1 && !Files.exists(aot.resolve("trainer")));
    assertThat(files(aot, "*.aot")).as("%s", log(aot)).hasSize(3);

    Path loaded = machine.resolve("loaded");
    clone.set("WATCHGATE_JAVA_OPTS", "-Xlog:class+load:file=" + loaded);
    assertThat(results(clone)).as("with its cache").isEqualTo(without);
    assertThat(Files.readString(loaded))
        .contains("io.watchgate.cli.WatchSession source: shared objects file");

    for (String options :
        List.of("-Xmx64m", "-XX:+UseParallelGC", "-XX:-UseCompactObjectHeaders", "-Xshare:off")) {
      clone.set("WATCHGATE_JAVA_OPTS", options);
      assertThat(results(clone)).as(options).isEqualTo(without);
    }

    clone.set("WATCHGATE_JAVA_OPTS", "");
    Path cache = files(aot, "client-*.aot").getFirst();
    try (RandomAccessFile file = new RandomAccessFile(cache.toFile(), "rw")) {
      file.setLength(file.length() / 2);
      vouchFor(aot);
      assertThat(results(clone)).as("cut off").isEqualTo(without);

      byte[] noise = new byte[4096];
      new Random(SEED).nextBytes(noise);
      file.write(noise);
      vouchFor(aot);
      assertThat(results(clone)).as("another beginning, seed %s", SEED).isEqualTo(without);

      file.setLength(0);
      vouchFor(aot);
      assertThat(results(clone)).as("empty").isEqualTo(without);
    }
  }

  /**
   * Returns the results of two commands: one that needs no gateway, and one that fails without it.
   */
  private static List<Result> results(FakeClone clone) throws Exception {
    return List.of(
        clone.run("watch", "--help"), clone.run("watch", "pods", "--server", "127.0.0.1:1"));
  }

  /**
   * Makes the cache newer than its key, which the launcher would detect, so that the JVM must
   * detect the damage.
   */
  private static void vouchFor(Path aot) throws Exception {
    Path key = files(aot, "client-*.key").getFirst();
    Files.setLastModifiedTime(key, FileTime.from(Instant.now().plusSeconds(5)));
  }

  private static List<Path> files(Path folder, String pattern) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      var matcher = folder.getFileSystem().getPathMatcher("glob:" + pattern);
      return files.filter(file -> matcher.matches(file.getFileName())).toList();
    }
  }

  private static String log(Path aot) throws Exception {
    return Files.readString(aot.resolve("training.log"));
  }
}
