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
  private final CacheUnderTest underTest = new CacheUnderTest();

  private void list(int perNode) {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      for (int j = 0; j < perNode; j++) {
        objects.add(SampleObject.of("n" + j, "o" + i, 5).app("" + i));
      }
    }
    underTest.writer.list(10, objects);
  }

  private static List<String> names(ControlledResponseSink sink) {
    return sink.responses().stream()
        .flatMap(response -> response.getEventsList().stream())
        .map(event -> event.getKey().getNamespace() + "/" + event.getKey().getName())
        .toList();
  }

  @Test
  void twoThousandConcurrentRequests_areOnePass() {
    list(3);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      sinks.add(underTest.open(StreamRequest.labels("app=" + i), new ControlledResponseSink()));
    }
    underTest.owning.runAll();
    int pieces = 0;
    while (underTest.replaying.runOne()) {
      pieces++;
    }
    assertThat(pieces)
        .as("of 16,384 objects and answers, and a look for who came later")
        .isLessThan(4);
    underTest.run();
    for (int i = 0; i < NODES; i++) {
      assertThat(names(sinks.get(i))).containsExactly("n0/o" + i, "n1/o" + i, "n2/o" + i);
    }
  }

  @Test
  void requestDuringAPass_isServedByTheNext() {
    list(10);
    ControlledResponseSink first =
        underTest.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    underTest.owning.runAll();
    assertThat(underTest.replaying.runOne()).isTrue();
    underTest.writer.put(SampleObject.of("n0", "late", 11).app("1"));
    ControlledResponseSink second =
        underTest.open(StreamRequest.labels("app=1,x!=y"), new ControlledResponseSink());
    underTest.run();
    assertThat(first.changes()).as("after its snapshot").containsExactly("11");
    assertThat(second.changes()).as("it is in its snapshot").isEmpty();
    assertThat(names(first)).hasSize(11);
    assertThat(names(second)).hasSize(11).contains("n0/late");
  }

  @Test
  void broadSelection_isServedWithoutAResultList() {
    list(1);
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.labels("app!=7"));
    assertThat(names(sink)).hasSize(NODES - 1).doesNotContain("n0/o7");
    assertThat(NODES).isGreaterThan(SnapshotSettings.MAX_SCAN_RESULTS);
  }

  @Test
  void stalledStream_getsTheStateAtTheTimeItReads() {
    list(10);
    ControlledResponseSink sink =
        underTest.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    underTest.owning.runAll();
    sink.stalled();
    underTest.run(); // found, but not sent
    underTest.writer.put(SampleObject.of("n0", "late", 11).app("1"));
    underTest.pass(Duration.ofSeconds(3));
    assertThat(underTest.routers.snapshotBytes()).isZero();
    sink.read();
    underTest.run();
    assertThat(names(sink)).hasSize(11).contains("n0/late");
    assertThat(sink.changes()).as("it is in the snapshot").isEmpty();
  }

  @Test
  void streamClosedDuringAScan_doesNotAffectOthers() {
    list(10);
    ControlledResponseSink leaves =
        underTest.open(StreamRequest.labels("app=1"), new ControlledResponseSink());
    ControlledResponseSink stays =
        underTest.open(StreamRequest.labels("app=2"), new ControlledResponseSink());
    underTest.owning.runAll();
    leaves.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    assertThat(names(leaves)).isEmpty();
    assertThat(names(stays)).hasSize(10);
    assertThat(underTest.routers.snapshotBytes()).isZero();
  }
}
