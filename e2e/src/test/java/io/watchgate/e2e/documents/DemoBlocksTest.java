package io.watchgate.e2e.documents;

import java.io.IOException;
import org.junit.jupiter.api.Order;

/** Tests of the code blocks that run beside a demo. */
@Order(2) // longer than most
final class DemoBlocksTest extends SharedNeighbourCases {
  DemoBlocksTest() {
    super(BlockTable.Neighbour.DEMO);
  }

  @Override
  Terminal start(ReaderEnvironment world) throws IOException {
    return world.demo();
  }
}
