package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the Go SDK: by the cases of all clients, and by tests of its own. */
@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class GoSdkTest
    implements ConformanceCases, RealGatewayCases, TlsAndTokenCase, ClientCertificateCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final Program client;

  GoSdkTest() throws Exception {
    client = GoSdk.conformance();
  }

  @Override
  public Program client() {
    return client;
  }

  @Test
  void module_passesItsTests() throws Exception {
    assertThat(GoSdk.test(".", Map.of())).contains("--- PASS: TestStore_changesOfSlowReader");
  }

  @Test
  void sources_haveFormAndPassTheirChecks() throws Exception {
    GoSdk.go("vet", "./...");
    assertThat(Program.of("gofmt", "-l", ".").in(GoSdk.MODULE).run()).isEmpty();
  }

  @Test
  void module_dependsOnNothingOfKubernetes() throws Exception {
    List<String> packages = GoSdk.go("list", "-deps", "./...").lines().toList();

    assertThat(packages).contains("watchgate.io/client", "google.golang.org/grpc");
    assertThat(packages).noneMatch(name -> name.contains("k8s.io"));
    assertThat(packages)
        .filteredOn(name -> name.matches("(?!vendor/)[^/]*\\..*")) // not of the standard library
        .allMatch(
            name ->
                name.matches(
                    "(watchgate\\.io/client|google\\.golang\\.org/(grpc|protobuf|genproto)"
                        + "|golang\\.org/x/(net|sys|text))(/.*)?"));
  }

  @Test
  void generatedMessages_areCurrent(@TempDir Path folder) throws Exception {
    assertThat(GoSdk.messages())
        .as("go run -C e2e/tools ./stubs makes them")
        .isEqualTo(GoSdk.generated(folder));
  }

  @Test
  void loopsLeftAtRandomMoments_leaveNoStream(Apiserver apiserver) throws Exception {
    leave(1_000, apiserver);
  }

  @Test
  @Tag("thorough")
  void tenThousandLoops_leaveNoStream(Apiserver apiserver) throws Exception {
    leave(10_000, apiserver);
  }

  private static void leave(int loops, Apiserver apiserver) throws Exception {
    new Maps(apiserver.cluster()).create("watched");
    try (GatewayUnderTest one = RestartedGatewayCase.gateway(apiserver);
        GatewayUnderTest other = RestartedGatewayCase.gateway(apiserver)) {
      String output =
          GoSdk.test(
              "TestRealGateway_loops",
              Map.of(
                  "WATCHGATE_TEST_SERVERS",
                  "127.0.0.1:" + one.port() + ",127.0.0.1:" + other.port(),
                  "WATCHGATE_TEST_LOOPS",
                  Integer.toString(loops)));
      assertThat(output).contains("--- PASS: TestRealGateway_loops");
      for (GatewayUnderTest gateway : List.of(one, other)) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () -> assertThat(gateway.metrics().sum("watchgate_stream_slots")).isZero());
        assertThat(gateway.metrics().sum("watchgate_streams_ended_total")).isPositive();
      }
    }
  }

  /** The client begins at a random one of its servers. */
  @Test
  void failedServer_otherServerResumes(Apiserver apiserver) throws Exception {
    Maps maps = new Maps(apiserver.cluster());
    maps.create("kept");
    try (GatewayUnderTest one = RestartedGatewayCase.gateway(apiserver);
        GatewayUnderTest other = RestartedGatewayCase.gateway(apiserver);
        WatchProgram watch =
            WatchProgram.start(
                client,
                one.port(),
                "--server",
                "127.0.0.1:" + other.port(),
                "-n",
                maps.namespace())) {
      watch.awaitStory(story -> assertThat(story).endsWith("SYNCED"));
      GatewayUnderTest serving = one.metrics().sum("watchgate_stream_slots") > 0 ? one : other;
      serving.close();
      maps.create("after");
      watch.awaitStory(
          story ->
              assertThat(story)
                  .containsSubsequence("SYNCED", "RESUMED", maps.line("ADDED", "after"))
                  .containsOnlyOnce("SYNCED"));
      assertThat(watch.state()).isEqualTo(maps.listed(""));
    }
  }

  @Test
  void deadServer_otherServerIsUsed(Apiserver apiserver) throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0)) {
      unused = socket.getLocalPort();
    }
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver);
        WatchProgram watch =
            WatchProgram.start(client, gateway.port(), "--server", "127.0.0.1:" + unused)) {
      // Changes of other tests may follow.
      watch.awaitStory(story -> assertThat(story).contains("SYNCED"));
    }
  }

  @Test
  void store_equalsTheList(Apiserver apiserver) throws Exception {
    Maps maps = new Maps(apiserver.cluster());
    maps.create("listed");
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver)) {
      assertThat(
              GoSdk.test(
                  "TestRealGateway_store",
                  Map.of(
                      "WATCHGATE_TEST_SERVERS",
                      "127.0.0.1:" + gateway.port(),
                      "WATCHGATE_TEST_NAMESPACE",
                      maps.namespace())))
          .contains("--- PASS: TestRealGateway_store");
    }
  }

  @Test
  void readme_showsTheExample() throws IOException {
    assertThat(snippet())
        .isEqualTo(Files.readString(GoSdk.MODULE.resolve("examples/pods/main.go")));
  }

  @Test
  void packedModule_hasEqualBytesAnywhere(@TempDir Path folder) throws Exception {
    Path one = folder.resolve("one.tgz");
    Path two = folder.resolve("two.tgz");
    Path build = GoSdk.MODULE.resolve("build");
    Program.of(build.toString(), one.toString()).run();
    Program.of("sh", "-c", "umask 077; cd /; exec \"$0\" \"$1\"", build.toString(), two.toString())
        .with(Map.of("TZ", "Pacific/Auckland", "LANG", "tr_TR.UTF-8", "LC_ALL", "tr_TR.UTF-8"))
        .run();

    assertThat(two).hasSameBinaryContentAs(one);
  }

  @Test
  void reference_hasEachType(@TempDir Path folder) throws Exception {
    Path texts = folder.resolve("reference");
    Program.of(GoSdk.MODULE.resolve("build").toString())
        .and(folder.resolve("module.tgz").toString(), texts.toString())
        .run();
    for (String name : List.of("", "/watchgatetest", "/watchgatev1", "/kube", "/kube/ctrlcache")) {
      String text = Files.readString(texts.resolve("watchgate.io/client" + name + ".txt"));
      assertThat(text).contains("// import \"watchgate.io/client" + name + "\"");
      assertThat(GoSdk.declarations(name))
          .isNotEmpty()
          .allSatisfy(one -> assertThat(text).contains(one));
    }
    assertThat(texts.resolve("watchgate.io/client/cmd")).doesNotExist();
  }

  /** The program has nothing but the file of a release, in an empty folder. */
  @Test
  void snippet_runsWithThePackedModule(@TempDir Path folder) throws Exception {
    try (Command gateway =
        Command.start(
            "serve", "--sandbox", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0")) {
      String server = "127.0.0.1:" + gateway.awaitServing().grpc();
      String source = snippet().replace("127.0.0.1:7443", server);
      try (RunningProgram program = GoSdk.program(source, GoSdk.proxy(folder), folder).start()) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () ->
                    assertThat(program.out())
                        .as("stderr: %s", program.err())
                        .anyMatch(line -> line.matches("ADDED shop/\\S+ node-\\d+ Running")));
      }
    }
  }

  private static String snippet() throws IOException {
    Matcher block =
        Pattern.compile("```go\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(GoSdk.MODULE.resolve("README.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }
}
