package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.conformance.ConformanceCase;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.program.NodeProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
        ClientCertificateCase,
        InstalledPackageCases {
  private static final Path TESTS = PythonSdk.SOURCES.resolve("tests");
  private static final String[] PROGRAM = {"-m", "watchgate.conformance"};
  private static final Path CONSUMER = TESTS.resolve("consumer.py");

  private final Path release;
  private final Path wheel;
  private final Program python;
  private @Nullable Program lowest;

  PythonSdkTest() throws Exception {
    release = PythonSdk.release();
    wheel = PythonSdk.file(release, ".whl");
    python = PythonSdk.install(wheel, "highest");
  }

  @Override
  public Program client() {
    return python.and(PROGRAM);
  }

  /** Returns the interpreter with the lowest versions, installed once for all tests. */
  private synchronized Program lowest() throws Exception {
    Program installed = lowest;
    if (installed == null) {
      installed = PythonSdk.install(wheel, "lowest");
      lowest = installed;
    }
    return installed;
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.clients.ConformanceCases#cases")
  @Tag("thorough")
  void clientWithLowestVersions_conforms(ConformanceCase played) throws Exception {
    ConformanceCases.assertConforms(lowest().and(PROGRAM), played);
  }

  @Override
  public Path sources() {
    return PythonSdk.SOURCES;
  }

  @Override
  public String suffix() {
    return ".py";
  }

  @Override
  public Program program(Path folder, String file) {
    return python.and(file).in(folder);
  }

  @Override
  public Program endings() {
    return python.and(TESTS.resolve("endings.py").toString());
  }

  @Override
  public String interruption() {
    return "cancel";
  }

  @Override
  public List<String> leftovers() {
    return List.of("tasks", "channels", "files");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lowest", "highest"})
  void unitTests_passWithVersions(String versions) throws Exception {
    Program installed = versions.equals("highest") ? python : lowest();
    String output = installed.and("-m", "unittest", "discover", TESTS.toString()).run();

    assertThat(output).containsPattern("Ran [2-9]\\d tests").doesNotContain("skipped");
    // The server of grpcio, in FakeGateway, prints tracebacks of its own when it stops.
    assertThat(output).as("errors that asyncio logs").doesNotContain("never retrieved");
  }

  @Test
  void resumeExample_startedAgain_continuesWithoutASnapshot(@TempDir Path folder) throws Exception {
    try (Command gateway = Command.startSandbox()) {
      String source = Files.readString(sources().resolve("examples/resume.py"));
      Files.writeString(
          folder.resolve("resume.py"), source.replace("7443", "" + gateway.awaitServing().grpc()));
      try (RunningProgram first = program(folder, "resume.py").start()) {
        awaitLine(first, "Changes");
        assertThat(first.out().getFirst()).startsWith("Snapshot ");
        first.stop();
      }
      try (RunningProgram again = program(folder, "resume.py").start()) {
        awaitLine(again, "Changes");
        assertThat(again.out().getFirst()).startsWith("Resumed ");
        assertThat(again.out()).noneMatch(line -> line.startsWith("Snapshot "));
      }
    }
  }

  private static void awaitLine(RunningProgram program, String beginning) {
    await()
        .atMost(Duration.ofMinutes(3))
        .untilAsserted(
            () ->
                assertThat(program.out())
                    .as(() -> "" + program.err())
                    .anyMatch(line -> line.startsWith(beginning)));
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
  @Tag("thorough") // mypy runs in each build
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

  @Test
  void reference_hasEachName() throws Exception {
    String names = python.and("-c", "import watchgate; print(*watchgate.__all__)").run();
    String page = Files.readString(PythonSdk.reference().resolve("watchgate.html"));
    assertThat(names.strip().split(" "))
        .contains("Store", "connect")
        .allSatisfy(name -> assertThat(page).contains("<section id=\"" + name + "\">"));
    assertThat(page).contains("watchgate " + version());
    assertThat(PythonSdk.reference().resolve("watchgate/testing.html"))
        .content()
        .contains("<section id=\"FakeGateway\">");
  }

  private static String version() throws IOException {
    return Repository.ofPom("version").replace("-SNAPSHOT", ".dev0");
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
  @Tag("thorough")
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
    return Instant.parse(Repository.ofPom("project.build.outputTimestamp")).getEpochSecond();
  }
}
