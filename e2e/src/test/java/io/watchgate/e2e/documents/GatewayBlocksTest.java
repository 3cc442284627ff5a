package io.watchgate.e2e.documents;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the code blocks that run beside a gateway. */
@WithApiserver
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(2) // longer than most
class GatewayBlocksTest {
  private ReaderEnvironment world;
  private Terminal neighbour;

  @BeforeAll
  void startNeighbour(@OwnApiserver Apiserver apiserver) throws Exception {
    world = ReaderEnvironment.make(Repository.target("documents-gateway"), apiserver);
    neighbour = world.gateway();
  }

  @AfterAll
  void stopNeighbour() {
    if (neighbour != null) {
      neighbour.close();
    }
  }

  static List<Block> blocks() throws IOException {
    return BlockTable.blocks(BlockTable.Neighbour.GATEWAY);
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_passesItsCheck(Block block) throws Exception {
    BlockTable.check(block, world);
  }
}
