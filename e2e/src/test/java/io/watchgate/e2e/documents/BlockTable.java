package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Table of the code blocks in the documents: one row of checks for each. */
final class BlockTable {
  /** Process that runs beside a block; blocks with the same one share it. */
  enum Neighbour {
    /** None, or the block starts it. */
    NONE,
    DEMO,
    /** A gateway of the reader's cluster. */
    GATEWAY
  }

  /** Prefix of a block's first line, or of its fence, with the check of the block. */
  record Row(Neighbour neighbour, String begins, Check check) {}

  private static final String GO_KUBE = "client-sdk/go/kube/example_test.go";

  static final List<Row> ROWS =
      List.of(
          alone("./watchgate demo", Check.prints("^EVENT +NAMESPACE +NAME")),
          alone("flowchart", Check.isFlowchart()),
          beside(
              Neighbour.DEMO,
              "./watchgate types",
              Check.eachPrints("pods", "node-1", "Running", "spec|status", "\"ADDED\"")),
          beside(Neighbour.DEMO, "./watchgate list nodes", Check.eachPrints("node-1", "pods")),
          beside(Neighbour.DEMO, "./watchgate watch pods -n shop", Check.prints("Running")),
          beside(Neighbour.DEMO, "./watchgate watch deployments", Check.prints("spec|status")),
          beside(Neighbour.DEMO, "./watchgate watch pods --save", Check.prints("Running")),
          alone(
              "kubectl -n watchgate port-forward service/watchgate 7443",
              LaptopRecipe.reachesGateway()),
          alone(
              "kubectl -n watchgate port-forward service/watchgate 6443",
              LaptopRecipe.reachesKubeApi()),
          beside(
              Neighbour.DEMO,
              "kubectl --",
              Check.eachPrints("Running", "created", "created", "hello-.*Running")),
          beside(
              Neighbour.DEMO,
              "./watchgate watch pods --from",
              Check.eachPrints("Running", "web", "(ADDED|MODIFIED|DELETED) ")),
          alone("./watchgate try", Check.prints("^EVENT +NAMESPACE +NAME")),
          alone(
              "./watchgate serve --kube-listen",
              Check.eachPrintsOnceLoaded("serving gRPC on", "pod/", "(?i)Watchgate-Source: cache")),
          alone(
              "./watchgate serve --allowed-origin",
              Check.eachPrints("serving gRPC on", "^event: synced")),
          alone(
              "./watchgate serve --kubeconfig",
              Check.eachPrints("serving gRPC on", ReaderEnvironment.POD)),
          alone(
              "./watchgate serve --token",
              Check.eachPrints(
                  "serving gRPC on",
                  "created",
                  "created",
                  "created",
                  "",
                  ReaderEnvironment.POD,
                  "deleted")),
          alone("./watchgate serve --churn", Check.eachPrints("serving gRPC on", "^FRESH +held")),
          alone("kubectl config view", Check.printsRightsToGrant()),
          alone(
              "\"$(e2e/apiserver/build)\" serve",
              Check.eachPrints("\"kubeconfig\":", "serving gRPC on", "kube-system")),
          alone("openssl", Check.afterCommands(3, "serving gRPC on", "Running")),
          alone("volumes:", Check.isValidPodSpecPart()),
          alone("receivers:", CollectorConfiguration.isTakenByPrometheus()),
          alone("spec:", PatchRecipe.patchesDeployment()),
          alone("./watchgate manifests", Check.prints("^kind: HorizontalPodAutoscaler")),
          alone("helm upgrade", ChartRecipe.installs()),
          alone("helm template --show-only", Check.prints("^kind: PrometheusRule")),
          alone("helm template watchgate", ChartRecipe.renders()),
          alone("apiVersion: rbac", Check.isRoleEnoughForAGateway()),
          beside(Neighbour.GATEWAY, "curl -s http", Check.prints("^stateBytesLimit: ")),
          beside(Neighbour.GATEWAY, "curl -f -X POST", Check.eachPrints("", "")),
          beside(Neighbour.GATEWAY, "grpcurl", GrpcurlCommand.answered()),
          beside(Neighbour.GATEWAY, "cd examples/node", Check.prints(ReaderEnvironment.POD)),
          alone("go run -C CLONE", Check.makesGoStubs()),
          beside(Neighbour.GATEWAY, "cd client-sdk/go", Check.prints(ReaderEnvironment.POD)),
          beside(Neighbour.GATEWAY, "cd examples/go", Check.prints(ReaderEnvironment.POD)),
          beside(Neighbour.GATEWAY, "cd examples/python", Check.prints(ReaderEnvironment.POD)),
          alone("through, err := kube", Check.compiledIn(GO_KUBE)),
          alone("pods := kube.NewListerWatcher", Check.compiledIn(GO_KUBE)),
          alone(
              "newCache, err := ctrlcache",
              Check.compiledIn("client-sdk/go/kube/ctrlcache/example_test.go")),
          alone("package main", Check.isTheFile("client-sdk/go/examples/pods/main.go")),
          alone(
              "```java",
              Check.compiledIn(
                  "client-sdk/java/src/test/java/io/watchgate/javadoc/PageExamples.java",
                  "examples/ReadyPods.java")),
          alone(
              "./watchgate serve --sandbox",
              Check.eachPrints("serving gRPC on", "^shop: [1-9]\\d* ready$")),
          beside(Neighbour.GATEWAY, "client-sdk/python/build", Check.prints(ReaderEnvironment.POD)),
          alone("\"\"\"Prints the pods", Check.isTheFile("client-sdk/python/examples/watch.py")),
          alone("\"\"\"Keeps the pods", Check.isTheFile("client-sdk/python/examples/store.py")),
          alone(
              "\"\"\"Keeps the versions", Check.isTheFile("client-sdk/python/examples/resume.py")),
          alone(
              "\"\"\"A test of a program",
              Check.isTheFile("client-sdk/python/tests/test_example.py")),
          beside(Neighbour.GATEWAY, "client-sdk/node/build", Check.prints(ReaderEnvironment.POD)),
          alone("// Prints the pods", Check.isTheFile("client-sdk/node/examples/watch.mjs")),
          alone("// Keeps the pods", Check.isTheFile("client-sdk/node/examples/store.mjs")),
          alone(
              "// A test of a program", Check.isTheFile("client-sdk/node/tests/example.test.mjs")),
          alone("// Shows the pods", Check.isTheFile("client-sdk/node/examples/browser.mjs")),
          alone("\"\"\"A minimal client", Check.isTheFile("examples/python/minimal.py")),
          alone("<dependency>", Check.isThePomOf("client-sdk/java")),
          alone("gateway/deploy/image", Check.isAScript()),
          alone(".ci/release", Check.isAScript()),
          alone("mvn ", Check.mavenUnderstands()));

  private BlockTable() {}

  private static Row alone(String begins, Check check) {
    return new Row(Neighbour.NONE, begins, check);
  }

  private static Row beside(Neighbour neighbour, String begins, Check check) {
    return new Row(neighbour, begins, check);
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

  static Stream<Row> rowsOf(Block block) {
    String first = block.language().equals("java") ? "```java" : block.lines().getFirst();
    return ROWS.stream().filter(row -> first.startsWith(row.begins()));
  }

  /** Returns the blocks that run beside a neighbour. */
  static List<Block> blocks(Neighbour neighbour) throws IOException {
    return blocks().stream()
        .filter(block -> rowsOf(block).anyMatch(row -> row.neighbour() == neighbour))
        .toList();
  }

  /** Runs the check of a block, which has exactly one. */
  static void check(Block block, ReaderEnvironment world) throws Exception {
    List<Row> rows = rowsOf(block).toList();
    assertThat(rows).as("rows of %s", block).hasSize(1);
    rows.getFirst().check().run(block, world);
  }
}
