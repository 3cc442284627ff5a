package io.watchgate.grpc.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.fanout.SinkGroup.Outcome;
import io.watchgate.grpc.lane.ModelConnection.Stream;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests of the credit that streams take out of their windows. The model is the client's view: what
 * it has granted, less the DATA frames that it has received.
 */
final class LaneCreditTest {
  private static final int STEPS = 600;

  /** No byte of a window is used that was not granted, and none is lost. */
  @RepeatedTest(20)
  @Tag("slow")
  void windows_areThoseOfTheClient() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    try (ModelConnection connection = new ModelConnection(random)) {
      for (int step = 0; step < STEPS; step++) {
        connection.step();
        connection.assertWindows(seed);
      }
      connection.dissolveGroups();
      connection.assertWindows(seed);
      // A lost wake-up, or bytes of a window that are lost, would leave responses unsent.
      await("seed " + seed).until(connection::sendsAll);
      connection.assertWindows(seed);
    }
  }

  /** The event loop may be in a task that sends for the group at that moment. */
  @Test
  void streamEndedByAnotherThread_isSentNothingMoreByItsGroup() {
    try (ModelConnection connection = ModelConnection.onThreadOfItsOwn()) {
      Stream ended = connection.open();
      Stream other = connection.open();
      connection.inTask(
          () -> {
            ended.send();
            other.send();
          });
      connection.inTask(
          () -> {
            ModelConnection.Group group = connection.group(ended, other);
            assertThat(group.trySend(100)).isEqualTo(Outcome.SENT);
            CompletableFuture.runAsync(ended.lane()::end).join();
            assertThat(group.trySend(100)).isEqualTo(Outcome.REFUSED);
          });
      int received = ended.received();
      connection.inTask(
          () -> assertThat(connection.groups().getFirst().trySend(100)).isEqualTo(Outcome.SENT));
      assertThat(ended.received()).isEqualTo(received);
      assertThat(other.received()).isGreaterThan(received);
    }
  }
}
