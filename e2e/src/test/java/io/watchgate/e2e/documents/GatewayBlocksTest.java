package io.watchgate.e2e.documents;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import java.io.IOException;
import org.junit.jupiter.api.Order;

/** Tests of the code blocks that run beside a gateway. */
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@Order(2) // longer than most
final class GatewayBlocksTest extends SharedNeighbourCases {
  GatewayBlocksTest() {
    super(BlockTable.Neighbour.GATEWAY);
  }

  @Override
  Terminal start(ReaderEnvironment world) throws IOException {
    return world.gateway();
  }
}
