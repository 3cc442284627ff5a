package io.watchgate.e2e.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the Python package as a user has it: installed from its wheel. */
@Requires(RequiredTool.PYTHON)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class PythonSdkTest
    implements ConformanceCases,
        RestartedGatewayCase,
        SeveralServersCase,
        TlsAndTokenCase,
        ClientCertificateCase {
  private static final Path TESTS = PythonSdk.SOURCES.resolve("tests");
  private static final Path CONSUMER = TESTS.resolve("consumer.py");

  private final Path release;
  private final Path wheel;
  private final Program python;

  PythonSdkTest() throws Exception {
    release = PythonSdk.build("release");
    wheel = PythonSdk.file(release, ".whl");
    python = PythonSdk.install(wheel, "highest");
  }

  @Override
  public Program client() {
    return python.and("-m", "watchgate.conformance");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lowest", "highest"})
  void unitTests_passWithVersions(String versions) throws Exception {
    Program installed = versions.equals("highest") ? python : PythonSdk.install(wheel, versions);
    String output = installed.and("-m", "unittest", "discover", TESTS.toString()).run();

    assertThat(output).containsPattern("Ran [2-9]\\d tests").doesNotContain("skipped");
    // The server of grpcio, in FakeGateway, prints tracebacks of its own when it stops.
    assertThat(output).as("errors that asyncio logs").doesNotContain("never retrieved");
  }

  @Test
  void types_passMypy(@TempDir Path folder) throws Exception {
    Program mypy =
        PythonEnvironment.with(TESTS.resolve("requirements-types.txt")).and("-m", "mypy");
    String cache = "--cache-dir=" + folder.resolve("cache");
    // A program has the types of this package, and need not have those of gRPC.
    mypy.and("--strict", cache, "--python-executable", executable()).and(CONSUMER.toString()).run();
    Path unpacked = folder.resolve("wheel");
    python.and("-m", "zipfile", "-e", wheel.toString(), unpacked.toString()).run();
    mypy.and(cache, "--config-file", PythonSdk.SOURCES.resolve("pyproject.toml").toString())
        .and("--package", "watchgate")
        .in(unpacked)
        .run();
  }

  @Test
  @Requires(RequiredTool.NODE)
  void types_passPyright(@TempDir Path folder) throws Exception {
    Files.copy(CONSUMER, folder.resolve("consumer.py"));
    Files.writeString(folder.resolve("pyrightconfig.json"), "{\"typeCheckingMode\": \"strict\"}");
    NodeProgram.prepare("e2e/pyright", "pyright.mjs")
        .and("--pythonpath", executable(), "--project", folder.toString())
        .run();
  }

  private String executable() {
    return python.command().getFirst();
  }

  @Test
  void wheel_hasOneFolder_andNamesItsVersion() throws Exception {
    assertThat(wheel).hasFileName("watchgate-" + version() + "-py3-none-any.whl");
    String files = python.and("-m", "zipfile", "-l", wheel.toString()).run();
    assertThat(files.lines().skip(1))
        .isNotEmpty()
        .allMatch(line -> line.matches("watchgate(-[^/]*\\.dist-info)?/.*"))
        .anyMatch(line -> line.startsWith("watchgate/py.typed"));
  }

  private static String version() throws IOException {
    return ofPom("version").replace("-SNAPSHOT", ".dev0");
  }

  private static String ofPom(String element) throws IOException {
    String pom = Files.readString(Repository.root().resolve("pom.xml"));
    int start = pom.indexOf("<" + element + ">") + element.length() + 2;
    return pom.substring(start, pom.indexOf("</", start));
  }

  @Test
  void secondBuild_hasEqualFiles() throws Exception {
    Path again = PythonSdk.build("again");
    assertThat(PythonSdk.list(release)).hasSize(2);
    for (Path file : PythonSdk.list(release)) {
      assertThat(again.resolve(file.getFileName())).hasSameBinaryContentAs(file);
    }
  }

  /** Distributions of Linux build from the sdist, which has neither the contract nor the pom. */
  @Test
  void sdist_givesTheWheel(@TempDir Path folder) throws Exception {
    Path sdist = PythonSdk.file(release, ".tar.gz");
    python.and("-m", "tarfile", "-e", sdist.toString(), folder.toString()).run();
    Path sources = folder.resolve(sdist.getFileName().toString().replace(".tar.gz", ""));
    PythonEnvironment.with(PythonSdk.SOURCES.resolve("requirements-build.txt"))
        .and("-m", "hatchling", "build", "-t", "wheel", "-d", folder.toString())
        .in(sources)
        .with(Map.of("SOURCE_DATE_EPOCH", "" + epoch()))
        .run();
    assertThat(folder.resolve(wheel.getFileName())).hasSameBinaryContentAs(wheel);
  }

  private static long epoch() throws IOException {
    return Instant.parse(ofPom("project.build.outputTimestamp")).getEpochSecond();
  }

  /** The example of README.md, and the other one, in an empty folder. */
  @ParameterizedTest
  @CsvSource({
    "watch.py, ADDED \\S+ Running",
    "store.py, '[1-9]\\d* pods, [1-9]\\d* of them on node-1'"
  })
  void example_runsAtASandbox(String name, String output, @TempDir Path folder) throws Exception {
    String source = Files.readString(PythonSdk.SOURCES.resolve("examples").resolve(name));
    String any = "127.0.0.1:0";
    try (Command gateway =
        Command.start(
            "serve", "--sandbox", "--sandbox-listen", any, "--listen", any, "--http-listen", any)) {
      String address = "127.0.0.1:" + gateway.awaitServing().grpc();
      Files.writeString(folder.resolve(name), source.replace("127.0.0.1:7443", address));
      try (RunningProgram example = python.and(name).in(folder).start()) {
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () ->
                    assertThat(example.out())
                        .as(() -> "" + example.err())
                        .anyMatch(line -> line.matches(output)));
      }
    }
  }

  @Test
  void readme_hasTheExample() throws IOException {
    assertThat(Files.readString(PythonSdk.SOURCES.resolve("README.md")))
        .contains(Files.readString(PythonSdk.SOURCES.resolve("examples/watch.py")));
  }

  /** Streams that a program leaves are seen at the gateway, those of other tests are not. */
  @Test
  void cancelledAtAnyMoment_leavesNothing(Apiserver apiserver) throws Exception {
    ends("cancel", 1_000, apiserver);
  }

  @Test
  void closedClients_leaveNothing(Apiserver apiserver) throws Exception {
    ends("close", 1_000, apiserver);
  }

  @Test
  @Tag("thorough")
  void closedClients_leaveNothing_10_000Times(Apiserver apiserver) throws Exception {
    ends("close", 10_000, apiserver);
  }

  private void ends(String what, int count, Apiserver apiserver) throws Exception {
    int seed = new Random().nextInt(Integer.MAX_VALUE);
    System.err.println("seed " + seed);
    Maps maps = new Maps(apiserver.cluster());
    maps.create("one");
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver)) {
      String output =
          python
              .and(TESTS.resolve("endings.py").toString(), what, "" + count, "" + seed)
              .and("127.0.0.1:" + gateway.port())
              .run();

      JsonNode left = Json.parse(output.lines().toList().getLast());
      assertThat(left.get("began").intValue()).as(output).isGreaterThan(count / 10);
      assertThat(left.get("tasks").intValue()).as(output).isZero();
      assertThat(left.get("channels").intValue()).as(output).isZero();
      assertThat(left.get("files").intValue()).as(output).isZero();
      await().untilAsserted(() -> assertThat(streams(gateway)).isZero());
    }
  }

  private static double streams(GatewayUnderTest gateway) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + "/metrics");
    try (InputStream page = uri.toURL().openStream()) {
      return new MetricsText(new String(page.readAllBytes(), UTF_8)).sum("watchgate_streams");
    }
  }
}
