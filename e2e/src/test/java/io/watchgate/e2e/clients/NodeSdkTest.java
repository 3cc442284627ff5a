package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the Node package as a user has it: installed from its file. */
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class NodeSdkTest
    implements ConformanceCases,
        CommandLineCases,
        RealGatewayCases,
        SeveralServersCase,
        ClientCertificateCase,
        InstalledPackageCases {

  private final Path release;
  private final Path installed;
  private final Path installedLowest;

  NodeSdkTest() throws Exception {
    release = NodeSdk.release();
    installed = NodeSdk.install(release, "highest", "highest");
    installedLowest = NodeSdk.install(release, "lowest", "lowest");
  }

  @Override
  public Program client() {
    Path program = installed.resolve("node_modules/.bin/watchgate-conformance");
    return NodeSdk.program(installed, program.toString());
  }

  @Override
  public Path sources() {
    return NodeSdk.SOURCES;
  }

  @Override
  public String suffix() {
    return ".mjs";
  }

  @Override
  public Program program(Path folder, String file) throws Exception {
    Path modules = installed.resolve("node_modules");
    Program.of("cp", "-a", modules.toString(), folder.toString()).run();
    return NodeSdk.program(folder, file);
  }

  @Override
  public Program endings() {
    return NodeSdk.program(installed, "tests/endings.mjs").with(Map.of("NODE_NO_WARNINGS", "1"));
  }

  @Override
  public String interruption() {
    return "abort";
  }

  @Override
  public List<String> leftovers() {
    return List.of("files", "timers", "promises", "signals", "channels");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lowest", "highest"})
  void unitTests_passWithVersions(String versions) throws Exception {
    Path folder = folder(versions);
    Program tests = NodeSdk.program(folder, "--test", "--test-reporter=tap");
    String output = tests.and(NodeSdk.tests(folder)).run();

    assertThat(output).containsPattern("# pass [6-9]\\d\n").contains("# fail 0\n# cancelled 0\n");
    assertThat(output).contains("# skipped 0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lowest", "highest"})
  void types_passTsc(String versions) throws Exception {
    Path folder = folder(versions);
    for (String project : List.of("tsconfig.json", "tsconfig.web.json")) {
      NodeSdk.program(folder, "node_modules/typescript/bin/tsc", "--project", "tests/" + project)
          .run();
    }
  }

  private Path folder(String versions) {
    return versions.equals("highest") ? installed : installedLowest;
  }

  @Test
  void package_hasTheVersionOfThePom_andOneFolder() throws Exception {
    String version = Repository.ofPom("version");
    JsonNode manifest =
        Json.parse(
            Files.readString(installed.resolve("node_modules/@watchgate/client/package.json")));
    assertThat(manifest.get("version").textValue()).isEqualTo(version);
    assertThat(release).hasFileName("watchgate-client-" + version + ".tgz");
    assertThat(Program.of("tar", "--list", "--file", release.toString()).run().lines())
        .isNotEmpty()
        .allMatch(
            line -> line.matches("package/(dist/.*\\.(js|d\\.ts)|LICENSE|README.md|package.json)"));
  }

  @Test
  @Tag("thorough") // builds everything twice
  void secondBuild_hasEqualFile() throws Exception {
    assertThat(NodeSdk.build("again")).hasSameBinaryContentAs(release);
  }

  @Test
  void reference_hasEachEntryPoint() throws IOException {
    Path pages = NodeSdk.reference();
    assertThat(pages.resolve("functions/index.connect.html")).exists();
    assertThat(pages.resolve("functions/web.connect.html")).exists();
    assertThat(pages.resolve("classes/testing.FakeGateway.html")).exists();
  }

  @Test
  void reference_hasEachType() throws IOException {
    String exported =
        Files.readString(installed.resolve("node_modules/@watchgate/client/dist/api.d.ts"));
    List<String> names =
        Pattern.compile("\\b[A-Z]\\w+")
            .matcher(exported)
            .results()
            .map(MatchResult::group)
            .toList();
    try (Stream<Path> pages = Files.walk(NodeSdk.reference())) {
      assertThat(pages.map(page -> page.getFileName().toString()))
          .contains("index.Store.html")
          .containsAll(names.stream().map(name -> "index." + name + ".html").toList());
    }
  }
}
