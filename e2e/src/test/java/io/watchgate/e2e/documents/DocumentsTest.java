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
  private static final List<String> DOCUMENTS = List.of("README.md", "CONTRIBUTING.md");

  /** Prefix of a block's first line, with the check of the block. */
  private record Row(String begins, Check check) {}

  private static final List<Row> ROWS =
      List.of(
          new Row("./watchgate demo", Check.prints("^EVENT +NAMESPACE +NAME")),
          new Row(
              "./watchgate watch pods -n shop",
              Check.eachPrints("Running", "spec|status", "node-1", "pods", "\"ADDED\"")
                  .besideADemo()),
          new Row(
              "kubectl",
              Check.eachPrints("Running", "created", "created", "hello-.*Running").besideADemo()),
          new Row(
              "./watchgate watch pods --from",
              Check.eachPrints("Running", "web", "(ADDED|MODIFIED|DELETED) ").besideADemo()),
          new Row("./watchgate try", Check.prints("^EVENT +NAMESPACE +NAME")),
          new Row(
              "./watchgate serve --kub",
              Check.eachPrints("serving gRPC on", ReaderEnvironment.POD)),
          new Row(
              "./watchgate serve --token",
              Check.eachPrints(
                  "serving gRPC on",
                  "created",
                  "created",
                  "created",
                  "\\.",
                  ReaderEnvironment.POD,
                  "deleted")),
          new Row("volumes:", Check.isTakenInAPod()),
          new Row("./watchgate manifests", Check.prints("^kind: HorizontalPodAutoscaler")),
          new Row("apiVersion: rbac", Check.isRoleEnoughForAGateway()),
          new Row("grpcurl", GrpcurlCommand.answered().besideAGateway()),
          new Row("cd e2e/node", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("cd e2e/go", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row("cd e2e/python", Check.prints(ReaderEnvironment.POD).besideAGateway()),
          new Row(
              "ListAndWatchRequest request",
              Check.compiledIn(
                  "client-sdk/java/src/test/java/io/watchgate/client/ReadmeExample.java")),
          new Row(
              "./watchgate serve --sandbox",
              Check.eachPrints("serving gRPC on", "^shop: [1-9]\\d* ready$")),
          new Row("import ", Check.isTheFile("examples/ReadyPods.java")),
          new Row("<dependency>", Check.isThePomOf("client-sdk/java")),
          new Row("mvn ", Check.mavenUnderstands()));

  private ReaderEnvironment world;

  @BeforeAll
  void makeWorld(@OwnApiserver Apiserver apiserver) throws Exception {
    world = ReaderEnvironment.make(Repository.target("documents"), apiserver);
  }

  static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    for (String document : DOCUMENTS) {
      blocks.addAll(Block.of(document));
    }
    return blocks;
  }

  private static Stream<Row> rowsOf(Block block) {
    return ROWS.stream().filter(row -> block.lines().getFirst().startsWith(row.begins()));
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_passesItsCheck(Block block) throws Exception {
    List<Row> rows = rowsOf(block).toList();
    assertThat(rows).as("rows of %s", block).hasSize(1);
    rows.getFirst().check().make(block, world);
  }

  @Test
  void row_hasBlock() throws IOException {
    List<Block> blocks = blocks();
    assertThat(ROWS)
        .allSatisfy(
            row -> assertThat(blocks).anyMatch(block -> rowsOf(block).toList().contains(row)));
  }

  @Test
  void continuousIntegration_runsDocumentedCommands() throws IOException {
    assertThat(Block.of("README.md").stream().flatMap(block -> block.commands().stream()))
        .contains("mvn verify");
    assertThat(Files.readString(Repository.root().resolve(".ci/run")))
        .containsPattern("(?m)^exec mvn -B -ntp verify$");
  }
}
