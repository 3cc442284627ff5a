package io.watchgate.e2e.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.watchgate.e2e.ChildProcess;
import io.watchgate.e2e.InstalledJdk;
import io.watchgate.e2e.OwnJvm;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.io.File;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests of client-sdk on other runtimes: its own build runs them on the newest versions, this test
 * on the oldest Java and the oldest protobuf, and on the Java release in between, if installed.
 */
@Requires(RequiredTool.JDK_17)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // among the longest
final class RuntimesTest {
  private static final int LIMIT_MINUTES = 5;

  /** Minimum number of tests; a lower number would mean that tests were left out. */
  private static final int LEAST = 150;

  private Properties oldest = new Properties();

  @BeforeAll
  void runOnTheOldest() throws Exception {
    Files.deleteIfExists(said().toPath());
    List<Path> classPath = new ArrayList<>(SdkBuild.classPathOfTests());
    Path older = SdkBuild.oldestProtobuf();
    classPath.replaceAll(entry -> isProtobuf(entry) ? older : entry);
    assertThat(classPath).as("with the older protobuf").contains(older);
    oldest = run(InstalledJdk.of(17).orElseThrow(), classPath);
  }

  private static boolean isProtobuf(Path entry) {
    return entry.getFileName().toString().matches("protobuf-java-\\d.*\\.jar");
  }

  @Test
  void sdkTests_passOnJava17WithProtobuf3() throws Exception {
    assertThat(oldest.getProperty("java")).isEqualTo("17");
    assertThat(oldest.getProperty("protobuf")).startsWith("3.25.");
    assertAllPassed(oldest);
  }

  /** Runs only if Java 21 is installed. The build itself runs the tests on a newer release. */
  @Test
  void sdkTests_passOnJava21WithProtobuf4() throws Exception {
    Optional<InstalledJdk> jdk = InstalledJdk.of(21);
    assumeThat(jdk).isPresent();

    Properties newer = run(jdk.orElseThrow(), SdkBuild.classPathOfTests());

    assertThat(newer.getProperty("java")).isEqualTo("21");
    assertThat(newer.getProperty("protobuf")).startsWith("4.");
    assertAllPassed(newer);
    assertThat(newer.getProperty("passed")).isEqualTo(oldest.getProperty("passed"));
  }

  private static void assertAllPassed(Properties result) throws Exception {
    assertThat(result.getProperty("failed")).as("failed; see %s", said()).isEqualTo("0");
    assertThat(result.getProperty("skipped")).isEqualTo("0");
    assertThat(Integer.parseInt(result.getProperty("passed"))).isGreaterThan(LEAST);
    assertThat(result.getProperty("classes").split(" "))
        .containsExactlyInAnyOrderElementsOf(testClasses());
  }

  /** Returns the test classes by the build's naming rule. */
  private static List<String> testClasses() throws Exception {
    try (Stream<Path> files = Files.walk(SdkBuild.TEST_CLASSES)) {
      return files
          .map(file -> SdkBuild.TEST_CLASSES.relativize(file).toString())
          .filter(name -> name.endsWith("Test.class"))
          .map(name -> name.replace(".class", "").replace(File.separatorChar, '.'))
          .toList();
    }
  }

  private static Properties run(InstalledJdk jdk, List<Path> classPath) throws Exception {
    List<String> line = new ArrayList<>(OwnJvm.command());
    line.set(0, jdk.java().toString());
    line.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-Dwatchgate.test.log=" + Repository.target("sdk").resolve(jdk.release() + ".log"),
            "-cp",
            Stream.concat(Stream.of(SdkBuild.TEST_CLASSES), classPath.stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator)),
            "io.watchgate.client.WholeSuite",
            SdkBuild.TEST_CLASSES.toString()));
    Process process =
        ChildProcess.start(
            new ProcessBuilder(line)
                .directory(SdkBuild.MODULE.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(said())));
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
      Properties result = new Properties();
      result.load(new StringReader(out));
      System.out.println(
          "client-sdk on Java %s with protobuf %s: %s tests passed, %s failed"
              .formatted(
                  result.get("java"),
                  result.get("protobuf"),
                  result.get("passed"),
                  result.get("failed")));
      return result;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the log of failures with their causes. */
  private static File said() {
    return Repository.target("sdk").resolve("tests.log").toFile();
  }
}
