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
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

/** Tests of the Node package as a user has it: installed from its file. */
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class NodeSdkTest
    implements ConformanceCases,
        CommandLineCases,
        RealGatewayCases,
        SeveralServersCase,
        ClientCertificateCase {
  private static final String RELEASE = "release";

  private final Path release;
  private final Path installed;
  private final Path installedLowest;

  NodeSdkTest() throws Exception {
    release = NodeSdk.build(RELEASE);
    installed = NodeSdk.install(release, "highest", "highest");
    installedLowest = NodeSdk.install(release, "lowest", "lowest");
  }

  @Override
  public Program client() {
    Path program = installed.resolve("node_modules/.bin/watchgate-conformance");
    return NodeSdk.program(installed, program.toString());
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
    String pom = Files.readString(Repository.root().resolve("pom.xml"));
    String version =
        pom.substring(pom.indexOf("<version>") + "<version>".length(), pom.indexOf("</version>"));
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
  void secondBuild_hasEqualFile() throws Exception {
    assertThat(NodeSdk.build("again")).hasSameBinaryContentAs(release);
  }

  @Test
  void reference_hasEachEntryPoint() throws IOException {
    Path pages = NodeSdk.reference(RELEASE);
    assertThat(pages.resolve("functions/index.connect.html")).exists();
    assertThat(pages.resolve("functions/web.connect.html")).exists();
    assertThat(pages.resolve("classes/testing.FakeGateway.html")).exists();
  }

  /** The example of README.md, and the other one, in an empty folder. */
  @ParameterizedTest
  @CsvSource({
    "watch.mjs, ADDED \\S+ Running",
    "store.mjs, '[1-9]\\d* pods, [1-9]\\d* of them on node-1'"
  })
  void example_runsAtASandbox(String name, String output, @TempDir Path folder) throws Exception {
    String source = Files.readString(NodeSdk.SOURCES.resolve("examples").resolve(name));
    String any = "127.0.0.1:0";
    Path modules = installed.resolve("node_modules");
    Program.of("cp", "-a", modules.toString(), folder.toString()).run();
    try (Command gateway =
        Command.start(
            "serve", "--sandbox", "--sandbox-listen", any, "--listen", any, "--http-listen", any)) {
      String address = "127.0.0.1:" + gateway.awaitServing().grpc();
      Files.writeString(folder.resolve(name), source.replace("127.0.0.1:7443", address));
      try (RunningProgram example = NodeSdk.program(folder, name).start()) {
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
    assertThat(Files.readString(NodeSdk.SOURCES.resolve("README.md")))
        .contains(Files.readString(NodeSdk.SOURCES.resolve("examples/watch.mjs")));
  }

  @Test
  void abortedAtAnyMoment_leavesNothing(Apiserver apiserver) throws Exception {
    ends("abort", 1_000, apiserver);
  }

  @Test
  void closedClients_leaveNothing(Apiserver apiserver) throws Exception {
    ends("close", 1_000, apiserver);
  }

  @Test
  @Tag("thorough")
  void abortedAtAnyMoment_leavesNothing_10_000Times(Apiserver apiserver) throws Exception {
    ends("abort", 10_000, apiserver);
  }

  private void ends(String what, int count, Apiserver apiserver) throws Exception {
    int seed = new Random().nextInt(Integer.MAX_VALUE);
    System.err.println("seed " + seed);
    new Maps(apiserver.cluster()).create("one");
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver)) {
      String output =
          NodeSdk.program(installed, "tests/endings.mjs", what, "" + count, "" + seed)
              .and("127.0.0.1:" + gateway.port())
              .with(Map.of("NODE_NO_WARNINGS", "1"))
              .run();

      JsonNode left = Json.parse(output.lines().toList().getLast());
      assertThat(left.get("began").intValue()).as(output).isGreaterThan(count / 10);
      for (String kind : List.of("files", "timers", "promises", "signals", "channels")) {
        assertThat(left.get(kind).intValue()).as(output).isZero();
      }
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
