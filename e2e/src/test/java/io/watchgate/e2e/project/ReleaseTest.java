package io.watchgate.e2e.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.PythonEnvironment;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of {@code .ci/release}: two copies of the sources, in different folders and environments,
 * give equal files, and each package can be used with nothing else of the project. They take two
 * whole builds.
 */
@Tag("thorough")
@Requires(RequiredTool.IMAGE_TOOLS)
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.GO)
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReleaseTest {
  private static final Path ROOT = Repository.root();

  /** Prints the errors of a file by the schema of its format, and ends with 1 if there are some. */
  private static final String VALIDATION =
      """
      import json, sys
      from cyclonedx.schema import SchemaVersion
      from cyclonedx.validation.json import JsonStrictValidator
      text = open(sys.argv[1]).read()
      version = SchemaVersion.from_version(json.loads(text)["specVersion"])
      sys.exit(str(error) if (error := JsonStrictValidator(version).validate_str(text)) else 0)
      """;

  private Path folder;
  private Path release;

  @BeforeAll
  void makeRelease(@TempDir Path created) throws Exception {
    folder = created;
    release = released("one", "umask 022; export LANG=C TZ=UTC");
  }

  /** Copies the sources as they are, committed or not, and makes a release of them. */
  private Path released(String name, String preparation) throws Exception {
    Path clone = Files.createDirectories(folder.resolve(name));
    Program.of(
            "sh",
            "-c",
            // Files that were deleted and not committed are still listed.
            "git ls-files -z --cached --others --exclude-standard"
                + " | tar --create --null --ignore-failed-read --files-from -"
                + " | tar --extract --directory \"$1\"",
            "sh",
            clone.toString())
        .in(ROOT)
        .run();
    Program.of("sh", "-c", preparation + "; exec ./.ci/release")
        .in(clone)
        .with(Map.of("JAVA_HOME", System.getProperty("watchgate.maven.java.home")))
        .run();
    return clone.resolve("target/release");
  }

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void secondRelease_elsewhere_hasEqualFiles() throws Exception {
    Path one = release;
    Path two =
        released("a/longer name/two", "umask 077; export LANG=tr_TR.UTF-8 TZ=Pacific/Auckland");

    assertThat(two.resolve("SHA256SUMS")).hasSameTextualContentAs(one.resolve("SHA256SUMS"));
    Program.of("sha256sum", "--check", "--quiet", "SHA256SUMS").in(two).run();
    List<String> names = names(one);
    assertThat(names(two)).isEqualTo(names);
    assertThat(names).hasSize(Files.readAllLines(one.resolve("SHA256SUMS")).size() + 1);
    for (String kind :
        List.of(
            ".pom",
            ".jar",
            "-sources.jar",
            "-javadoc.jar",
            ".tgz",
            ".oci.tar",
            ".cdx.json",
            ".whl",
            ".tar.gz")) {
      assertThat(names).anyMatch(name -> name.endsWith(kind));
    }
    assertThat(names).anyMatch(name -> name.matches("watchgate-client-go-.*\\.tgz"));
    assertThat(names).anyMatch(name -> name.matches("watchgate-client-\\d.*\\.tgz"));
    for (String name : names) {
      if (name.endsWith(".cdx.json")) {
        assertHasTheFormat(one.resolve(name));
      }
    }
  }

  @Test
  void reference_ofEachPackage_hasItsStore() throws Exception {
    String version = Repository.ofPom("version");
    Map<String, String> pages =
        Map.of(
            "reference-go-%s.tgz", "go/watchgate.io/client.txt",
            "reference-node-%s.tgz", "node/classes/index.Store.html",
            "reference-python-%s.tgz", "python/watchgate.html",
            "client-sdk-%s-javadoc.jar", "io.watchgate.client/io/watchgate/informer/Informer.html");
    for (Map.Entry<String, String> page : pages.entrySet()) {
      Path file = release.resolve("watchgate-" + page.getKey().formatted(version));
      assertThat(entries(file)).contains(page.getValue());
    }
  }

  private static List<String> entries(Path archive) throws Exception {
    if (archive.toString().endsWith(".jar")) {
      try (ZipFile jar = new ZipFile(archive.toFile())) {
        return jar.stream().map(ZipEntry::getName).toList();
      }
    }
    return Program.of("tar", "--list", "--file", archive.toString()).run().lines().toList();
  }

  /** The program of each README follows a gateway, in a folder that has only the package. */
  @ParameterizedTest
  @EnumSource
  void readmeProgram_withTheReleasedPackage_followsAGateway(
      ReleasedPackage released, @TempDir Path empty) throws Exception {
    try (Command gateway = Command.startSandbox();
        RunningProgram program =
            released.readmeProgram(empty, release, gateway.awaitServing().grpc()).start()) {
      await()
          .atMost(Duration.ofMinutes(8)) // with the installation
          .untilAsserted(
              () ->
                  assertThat(program.out())
                      .as(() -> program.isAlive() + " " + program.err())
                      .anyMatch(line -> line.matches("ADDED (shop/)?\\S+ .*")));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> program.out().stream().anyMatch(line -> line.startsWith("MODIFIED ")));
    }
  }

  private static List<String> names(Path release) throws IOException {
    try (Stream<Path> files = Files.list(release)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static void assertHasTheFormat(Path file) throws Exception {
    PythonEnvironment.with(ROOT.resolve("e2e/project/requirements.txt"))
        .and("-c", VALIDATION, file.toString())
        .run();
  }
}
