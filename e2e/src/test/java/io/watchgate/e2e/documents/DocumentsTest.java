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
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the code blocks in the documents that run alone, or start what they need. */
@WithApiserver
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // among the longest
class DocumentsTest {
  private ReaderEnvironment world;

  @BeforeAll
  void makeWorld(@OwnApiserver Apiserver apiserver) throws Exception {
    world = ReaderEnvironment.make(Repository.target("documents"), apiserver);
  }

  static List<Block> blocks() throws IOException {
    return BlockTable.blocks(BlockTable.Neighbour.NONE);
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_passesItsCheck(Block block) throws Exception {
    BlockTable.check(block, world);
  }

  @Test
  void rowAndBlock_belongTogether() throws IOException {
    List<Block> blocks = BlockTable.blocks();
    assertThat(BlockTable.ROWS)
        .allSatisfy(
            row ->
                assertThat(blocks)
                    .anyMatch(block -> BlockTable.rowsOf(block).toList().contains(row)));
    assertThat(blocks)
        .allSatisfy(block -> assertThat(BlockTable.rowsOf(block)).as("%s", block).hasSize(1));
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
