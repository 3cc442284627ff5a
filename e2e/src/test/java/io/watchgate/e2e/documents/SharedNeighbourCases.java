package io.watchgate.e2e.documents;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the code blocks that run beside the same process, which is started once. */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedNeighbourCases {
  private final BlockTable.Neighbour neighbour;
  private ReaderEnvironment world;
  private Terminal process;

  SharedNeighbourCases(BlockTable.Neighbour neighbour) {
    this.neighbour = neighbour;
  }

  /** Starts the process; returns once it can be used. */
  abstract Terminal start(ReaderEnvironment world) throws IOException;

  @BeforeAll
  void startNeighbour(@OwnApiserver Apiserver apiserver) throws Exception {
    String folder = "documents-" + neighbour.name().toLowerCase(Locale.ROOT);
    world = ReaderEnvironment.make(Repository.target(folder), apiserver);
    process = start(world);
  }

  @AfterAll
  void stopNeighbour() {
    if (process != null) {
      process.close();
    }
  }

  List<Block> blocks() throws IOException {
    return BlockTable.blocks(neighbour);
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_passesItsCheck(Block block) throws Exception {
    BlockTable.check(block, world);
  }
}
