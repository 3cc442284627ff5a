package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListAndWatchResponse.SignalCase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the amount that a stream sends per run. */
final class WriteLoopTest {
  private static final int TURN = 64 << 10;

  /** Bytes of the signals at the start of a stream. */
  private static final int SIGNALS = 200;

  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final CacheUnderTest underTest = new CacheUnderTest();

  private void put(int from, int count) {
    for (int i = 0; i < count; i++) {
      underTest.writer.put(OBJECT.at(from + i));
    }
  }

  private static List<ListAndWatchResponse> withEvents(ControlledResponseSink sink) {
    return sink.responses().stream()
        .filter(response -> response.getEventsCount() > 0)
        .filter(response -> !response.hasSynced() && !response.getResumeToken().isEmpty())
        .toList();
  }

  @Test
  void laggingStream_getsFewerLargerResponses() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink keepsUp = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink behind = underTest.subscribe(StreamRequest.EVERYTHING).stalled();
    for (int i = 0; i < 300; i++) {
      put(11 + i, 1);
      underTest.run();
    }
    behind.read();
    underTest.run();

    assertThat(withEvents(keepsUp)).hasSize(300);
    List<ListAndWatchResponse> few = withEvents(behind);
    assertThat(few).hasSizeBetween(300 * 1_000 / TURN, 300 * 1_300 / TURN + 2);
    assertThat(behind.changes()).isEqualTo(keepsUp.changes());
    assertThat(behind.sent).allSatisfy(sent -> assertThat(sent.size()).isLessThanOrEqualTo(TURN));
    for (ListAndWatchResponse response : few) {
      assertThat(response.getSignalCase()).isEqualTo(SignalCase.SIGNAL_NOT_SET);
      assertThat(response.getResourceVersion())
          .isEqualTo(response.getEvents(response.getEventsCount() - 1).getResourceVersion());
    }
  }

  @Test
  void streamsWithTheSameLag_shareTheResponse() {
    underTest.writer.list(10, OBJECT);
    List<ControlledResponseSink> behind = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      behind.add(underTest.subscribe(StreamRequest.EVERYTHING));
    }
    put(11, 20);
    underTest.run(); // the router has routed all of them before the event loop runs

    ByteSlices joined = behind.getFirst().last();
    assertThat(behind.getFirst().lastResponse().getEventsCount()).isEqualTo(20);
    assertThat(behind).allSatisfy(sink -> assertThat(sink.last()).isSameAs(joined));
  }

  /** Including position, token and the signal that ends a snapshot. */
  @Test
  void responseOfSeveralEvents_isAtMost64Kib() {
    for (int padding = 830; padding < 850; padding++) {
      List<SampleObject> objects = new ArrayList<>();
      for (int i = 0; i < 63; i++) {
        objects.add(SampleObject.of("n1", "o" + (100 + i), 5).padding(padding));
      }
      CacheUnderTest other = new CacheUnderTest();
      other.writer.list(10, objects);
      ControlledResponseSink sink = other.subscribe(StreamRequest.EVERYTHING);

      assertThat(sink.lastResponse().hasSynced()).isTrue();
      assertThat(sink.sent).allSatisfy(sent -> assertThat(sent.size()).isLessThan(TURN + 1));
    }
  }

  @Test
  void largeObject_isASeparateResponse() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
    put(11, 2);
    underTest.writer.put(OBJECT.at(13).padding(200_000));
    put(14, 2);
    underTest.run();

    assertThat(withEvents(sink))
        .extracting(ListAndWatchResponse::getEventsCount)
        .containsExactly(2, 1, 2);
  }

  @Test
  void largeSnapshot_delaysOthersByAtMostOneRun() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 2_600; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).padding(4_000));
    }
    underTest.writer.list(10, objects);
    ControlledResponseSink small = underTest.subscribe(StreamRequest.of(List.of("n2"), "", ""));
    ControlledResponseSink large =
        underTest.open(StreamRequest.EVERYTHING, new ControlledResponseSink());
    long version = 10;
    long before = 0;
    int during = 0;
    boolean over = false;
    while (!over) {
      underTest.writer.put(SampleObject.of("n2", "a", ++version));
      underTest.routing.runAll();
      int had = small.sent.size();
      while (small.sent.size() == had) {
        assertThat(underTest.owning.runOne()).isTrue();
      }
      long now = large.sent.stream().mapToLong(ByteSlices::size).sum();
      assertThat(now - before).isLessThanOrEqualTo(TURN + SIGNALS);
      before = now;
      during++;
      over = underTest.owning.waiting() == 0;
    }
    assertThat(before).isGreaterThan(10 << 20);
    assertThat(during).isGreaterThan(100);
  }

  @Test
  void change_isSentInOrderOfArrival() {
    underTest.writer.list(10, OBJECT);
    List<ControlledResponseSink> all = new ArrayList<>();
    List<ControlledResponseSink> order = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ControlledResponseSink sink =
          underTest.open(StreamRequest.EVERYTHING, new ControlledResponseSink().stalled());
      all.add(sink);
      sink.onSend = () -> order.add(sink);
    }
    underTest.run();
    for (int i : new int[] {3, 9, 0, 4, 6, 1, 8, 2, 7, 5}) {
      all.get(i).read();
      underTest.run();
    }
    all.remove(2).subscription().transportClosed(ClientEnd.CLIENT);
    underTest.pass(Duration.ofSeconds(2));
    order.clear();
    put(11, 1);
    underTest.run();

    // Round robin: each delivery starts at another stream.
    Collections.rotate(order, -order.indexOf(all.getFirst()));
    assertThat(order).containsExactlyElementsOf(all);
  }

  @Test
  void followersOfAFeed_areServedRoundRobin() {
    underTest.writer.list(10, OBJECT);
    List<String> order = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
      sink.onSend = () -> order.add(name);
    }
    for (int i = 0; i < 3; i++) {
      put(11 + i, 1);
      underTest.run();
    }
    assertThat(order).hasSize(9);
    assertThat(List.of(order.get(0), order.get(3), order.get(6)))
        .containsExactlyInAnyOrder("a", "b", "c");
  }

  /** A stream that ran before the change must run again. */
  @Test
  void changeDuringADelivery_isSentToAllStreams() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink one = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink other = underTest.subscribe(StreamRequest.EVERYTHING);
    AtomicInteger sent = new AtomicInteger();
    Runnable atTheSecond =
        () -> {
          if (sent.incrementAndGet() == 2) {
            put(12, 1);
            underTest.routing.runAll();
          }
        };
    one.onSend = atTheSecond;
    other.onSend = atTheSecond;
    put(11, 1);
    underTest.run();

    assertThat(one.changes()).containsExactly("11", "12");
    assertThat(other.changes()).containsExactly("11", "12");
  }

  @Test
  void batchDelay_sendsOneResponseAfterTheDelay() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink batched =
        underTest.subscribe(StreamRequest.EVERYTHING.batching(Duration.ofMillis(300)));
    ControlledResponseSink atOnce = underTest.subscribe(StreamRequest.EVERYTHING);
    for (int i = 0; i < 3; i++) {
      put(11 + i, 1);
      underTest.run();
      underTest.pass(Duration.ofMillis(50));
    }
    assertThat(withEvents(atOnce)).hasSize(3);
    assertThat(withEvents(batched)).isEmpty();
    underTest.pass(Duration.ofMillis(250));
    assertThat(withEvents(batched))
        .extracting(ListAndWatchResponse::getEventsCount)
        .containsExactly(3);
    put(14, 1);
    underTest.run();
    assertThat(withEvents(batched)).as("the next wait for company again").hasSize(1);
    underTest.pass(Duration.ofMillis(400));
    assertThat(batched.changes()).isEqualTo(atOnce.changes());
  }
}
