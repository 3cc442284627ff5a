package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of every code block in the documents, one row of checks for each. */
@WithApiserver
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // among the longest
class DocumentsTest {
  /** Prefix of a block's first line, or of its fence, with the check of the block. */
  private record Row(String begins, Check check) {}

  private static final String GO_KUBE = "client-sdk/go/kube/example_test.go";

  private static final List<Row> ROWS =
      List.of(
          new Row("./watchgate demo", Check.prints("^EVENT +NAMESPACE +NAME")),
          new Row("flowchart", Check.isFlowchart()),
          new Row(
              "./watchgate types",
              Check.eachPrints("pods", "node-1", "Running", "spec|status", "\"ADDED\"")
                  .besideADemo()),
          new Row("./watchgate list nodes", Check.eachPrints("node-1", "pods").besideADemo()),
          new Row("./watchgate watch pods -n shop", Check.prints("Running").besideADemo()),
          new Row("./watchgate watch deployments", Check.prints("spec|status").besideADemo()),
          new Row("./watchgate watch pods --save", Check.prints("Running").besideADemo()),
          new Row(
              "kubectl -n watchgate port-forward service/watchgate 7443",
              LaptopRecipe.reachesGateway()),
          new Row(
              "kubectl -n watchgate port-forward service/watchgate 6443",
              LaptopRecipe.reachesKubeApi()),
          new Row(
              "kubectl --",
              Check.eachPrints("Running", "created", "created", "hello-.*Running").besideADemo()),
          new Row(
              "./watchgate watch pods --from",
              Check.eachPrints("Running", "web", "(ADDED|MODIFIED|DELETED) ").besideADemo()),
          new Row("./watchgate try", Check.prints("^EVENT +NAMESPACE +NAME")),
          new Row(
              "./watchgate serve --kube-listen",
              Check.eachPrints("serving gRPC on", "pod/", "(?i)Watchgate-Source: cache")),
          new Row(
              "./watchgate serve --allowed-origin",
              Check.eachPrints("serving gRPC on", "^event: synced")),
          new Row(
              "./watchgate serve --kubeconfig",
              Check.eachPrints("serving gRPC on", ReaderEnvironment.POD)),
          new Row(
              "./watchgate serve --token",
              Check.eachPrints(
                  "serving gRPC on",
                  "created",
                  "created",
                  "created",
                  "",
                  ReaderEnvironment.POD,
                  "deleted")),
          new Row("./watchgate serve --churn", Check.eachPrints("serving gRPC on", "^FRESH +held")),
          new Row("kubectl config view", Check.printsRightsToGrant()),
          new Row(
              "\"$(e2e/apiserver/build)\" serve",
              Check.eachPrints("\"kubeconfig\":", "serving gRPC on", "kube-system")),
          new Row("openssl", Check.afterCommands(3, "serving gRPC on", "Running")),
          new Row("volumes:", Check.isValidPodSpecPart()),
          new Row("receivers:", CollectorConfiguration.isTakenByPrometheus()),
          new Row("spec:", PatchRecipe.patchesDeployment()),
          new Row("./watchgate manifests", Check.prints("^kind: HorizontalPodAutoscaler")),
          new Row("helm upgrade", ChartRecipe.installs()),
          new Row("helm template", ChartRecipe.renders()),
          new Row("apiVersion: rbac", Check.isRoleEnoughForAGateway()),
          new Row("curl -s http", Check.prints("^stateBytesLimit: ").besideAGateway()),
          new Row("curl -f -X POST", Check.eachPrints("", "").besideAGateway()),
          new Row("grpcurl", GrpcurlCommand.answered().besideAGateway()),
          new Row("cd e2e/node", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("go run -C CLONE", Check.makesGoStubs()),
          new Row("cd client-sdk/go", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("cd e2e/go", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("cd e2e/python", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("through, err := kube", Check.compiledIn(GO_KUBE)),
          new Row("pods := kube.NewListerWatcher", Check.compiledIn(GO_KUBE)),
          new Row(
              "newCache, err := ctrlcache",
              Check.compiledIn("client-sdk/go/kube/ctrlcache/example_test.go")),
          new Row("package main", Check.isTheFile("client-sdk/go/examples/pods/main.go")),
          new Row(
              "```java",
              Check.compiledIn(
                  "client-sdk/java/src/test/java/io/watchgate/javadoc/PageExamples.java",
                  "examples/ReadyPods.java")),
          new Row(
              "./watchgate serve --sandbox",
              Check.eachPrints("serving gRPC on", "^shop: [1-9]\\d* ready$")),
          new Row("client-sdk/python/build", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("\"\"\"Prints the pods", Check.isTheFile("client-sdk/python/examples/watch.py")),
          new Row("\"\"\"Keeps the pods", Check.isTheFile("client-sdk/python/examples/store.py")),
          new Row(
              "\"\"\"Keeps the versions", Check.isTheFile("client-sdk/python/examples/resume.py")),
          new Row("client-sdk/node/build", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("// Prints the pods", Check.isTheFile("client-sdk/node/examples/watch.mjs")),
          new Row("// Keeps the pods", Check.isTheFile("client-sdk/node/examples/store.mjs")),
          new Row("// Shows the pods", Check.isTheFile("client-sdk/node/examples/browser.mjs")),
          new Row("\"\"\"A minimal client", Check.isTheFile("e2e/python/minimal.py")),
          new Row("<dependency>", Check.isThePomOf("client-sdk/java")),
          new Row("gateway/deploy/image", Check.isAScript()),
          new Row(".ci/release", Check.isAScript()),
          new Row("mvn ", Check.mavenUnderstands()));

  private ReaderEnvironment world;

  @BeforeAll
  void makeWorld(@OwnApiserver Apiserver apiserver) throws Exception {
    world = ReaderEnvironment.make(Repository.target("documents"), apiserver);
  }

  static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    for (String document : documents()) {
      blocks.addAll(Block.of(document));
    }
    return blocks;
  }

  private static List<String> documents() throws IOException {
    Path root = Repository.root();
    try (Stream<Path> pages = Files.walk(root.resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "CONTRIBUTING.md", "SUPPORT.md"),
              pages
                  .filter(page -> page.toString().endsWith(".md"))
                  .map(page -> root.relativize(page).toString())
                  .sorted())
          .toList();
    }
  }

  private static Stream<Row> rowsOf(Block block) {
    String first = block.language().equals("java") ? "```java" : block.lines().getFirst();
    return ROWS.stream().filter(row -> first.startsWith(row.begins()));
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_passesItsCheck(Block block) throws Exception {
    List<Row> rows = rowsOf(block).toList();
    assertThat(rows).as("rows of %s", block).hasSize(1);
    rows.getFirst().check().run(block, world);
  }

  @Test
  void row_hasBlock() throws IOException {
    List<Block> blocks = blocks();
    assertThat(ROWS)
        .allSatisfy(
            row -> assertThat(blocks).anyMatch(block -> rowsOf(block).toList().contains(row)));
  }

  /** {@code -Dwatchgate.picture.write=true} writes the picture instead. */
  @Test
  void picture_showsCurrentOutput() throws IOException {
    Path file = Repository.root().resolve("docs/assets/watch.svg");
    String picture = new WatchPicture(world).take().svg();
    if (Boolean.getBoolean("watchgate.picture.write")) {
      Files.writeString(file, picture);
    }
    assertThat(picture)
        .as("write it with -Dwatchgate.picture.write=true")
        .isEqualTo(Files.readString(file));
  }

  @Test
  void continuousIntegration_runsDocumentedCommands() throws IOException {
    assertThat(Block.of("README.md").stream().flatMap(block -> block.commands().stream()))
        .contains("mvn verify");
    assertThat(Files.readString(Repository.root().resolve(".ci/run")))
        .containsPattern("(?m)^exec mvn -B -ntp verify$");
  }
}
