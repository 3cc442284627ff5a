package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that the initial objects of selective streams are found in one pass for concurrent
 * requests.
 */
final class ScanBatcherTest {
  private static final int NODES = 2_000;
  private final CacheUnderTest stage = new CacheUnderTest();

  private void list(int perNode) {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      for (int j = 0; j < perNode; j++) {
        objects.add(SampleObject.of("n" + j, "o" + i, 5).app("" + i));
      }
    }
    stage.writer.list(10, objects);
  }

  private static List<String> names(ControlledResponseSink outlet) {
    return outlet.responses().stream()
        .flatMap(response -> response.getEventsList().stream())
        .map(event -> event.getKey().getNamespace() + "/" + event.getKey().getName())
        .toList();
  }

  @Test
  void twoThousandConcurrentRequests_areOnePass() {
    list(3);
    List<ControlledResponseSink> outlets = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      outlets.add(stage.open(StreamRequest.labels("app=" + i), new ControlledResponseSink()));
    }
    stage.owning.runAll();
    int pieces = 0;
    while (stage.replaying.runOne()) {
      pieces++;
    }
    assertThat(pieces)
        .as("of 16,384 objects and answers, and a look for who came later")
        .isLessThan(4);
    stage.run();
    for (int i = 0; i < NODES; i++) {
      assertThat(names(outlets.get(i))).containsExactly("n0/o" + i, "n1/o" + i, "n2/o" + i);
    }
  }

  @Test
  void requestDuringAPass_isServedByTheNext() {
    list(10);
    ControlledResponseSink first =
        stage.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    stage.owning.runAll();
    assertThat(stage.replaying.runOne()).isTrue();
    stage.writer.put(SampleObject.of("n0", "late", 11).app("1"));
    ControlledResponseSink second =
        stage.open(StreamRequest.labels("app=1,x!=y"), new ControlledResponseSink());
    stage.run();
    assertThat(first.changes()).as("after its snapshot").containsExactly("11");
    assertThat(second.changes()).as("it is in its snapshot").isEmpty();
    assertThat(names(first)).hasSize(11);
    assertThat(names(second)).hasSize(11).contains("n0/late");
  }

  @Test
  void broadSelection_isServedWithoutAResultList() {
    list(1);
    ControlledResponseSink outlet = stage.subscribe(StreamRequest.labels("app!=7"));
    assertThat(names(outlet)).hasSize(NODES - 1).doesNotContain("n0/o7");
    assertThat(NODES).isGreaterThan(FanoutSettings.Snapshots.MAX_SCAN_RESULTS);
  }

  @Test
  void stalledStream_getsTheStateAtTheTimeItReads() {
    list(10);
    ControlledResponseSink outlet =
        stage.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    stage.owning.runAll();
    outlet.stalled();
    stage.run(); // found, but not sent
    stage.writer.put(SampleObject.of("n0", "late", 11).app("1"));
    stage.pass(Duration.ofSeconds(3));
    assertThat(stage.routers.snapshotBytes()).isZero();
    outlet.read();
    stage.run();
    assertThat(names(outlet)).hasSize(11).contains("n0/late");
    assertThat(outlet.changes()).as("it is in the snapshot").isEmpty();
  }

  @Test
  void streamClosedDuringAScan_doesNotAffectOthers() {
    list(10);
    ControlledResponseSink leaves =
        stage.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    ControlledResponseSink stays =
        stage.open(StreamRequest.labels("app=2"), new ControlledResponseSink());
    stage.owning.runAll();
    leaves.subscription().transportClosed(ClientEnd.CLIENT);
    stage.run();
    assertThat(names(leaves)).isEmpty();
    assertThat(names(stays)).hasSize(10);
    assertThat(stage.routers.snapshotBytes()).isZero();
  }
}
