package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.LimitErrors;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the events and bytes that are counted for a stream, and for its snapshot. */
final class CountedStreamTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5).padding(1_000);

  private final CacheUnderTest underTest = new CacheUnderTest();

  /** Events and bytes of the streams that have ended. */
  private final List<List<Long>> ended = new ArrayList<>();

  /** Objects and bytes of the snapshots. */
  private final List<List<Long>> snapshots = new ArrayList<>();

  private long version = 20;

  CountedStreamTest() {
    InvocationHandler recording =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "snapshotStarted" ->
                  (FanoutMetrics.StartedSnapshot)
                      (objects, bytes) -> snapshots.add(List.of(objects, bytes));
              case "streamEnded", "streamLeft" -> {
                assertThat(arguments[0]).isInstanceOf(ApiResource.class);
                FanoutMetrics.CountedStream stream = (FanoutMetrics.CountedStream) arguments[2];
                ended.add(List.of(stream.sentEvents(), stream.sentBytes()));
                yield null;
              }
              default -> null;
            };
    underTest.metrics =
        (FanoutMetrics)
            Proxy.newProxyInstance(
                FanoutMetrics.class.getClassLoader(),
                new Class<?>[] {FanoutMetrics.class},
                recording);
  }

  private void put(int times) {
    for (int i = 0; i < times; i++) {
      underTest.writer.put(OBJECT.at(++version));
      underTest.run();
    }
  }

  private static List<Long> sentBy(ControlledResponseSink sink) {
    return List.of(
        sink.responses().stream().mapToLong(ListAndWatchResponse::getEventsCount).sum(),
        sink.sent.stream().mapToLong(ByteSlices::size).sum());
  }

  @Test
  void snapshotAndChanges_areCounted() {
    underTest.writer.list(10, OBJECT, SampleObject.of("n1", "b", 6));
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);
    List<Long> first = sentBy(sink);
    put(3);

    sink.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();

    assertThat(first.getFirst()).isEqualTo(2);
    assertThat(snapshots).hasSize(1);
    assertThat(snapshots.getFirst().getFirst()).isEqualTo(2);
    assertThat(snapshots.getFirst().getLast()).isBetween(1_000L, first.getLast());
    assertThat(ended).containsExactly(sentBy(sink));
    assertThat(ended.getFirst().getFirst()).isEqualTo(5);
  }

  /** The group counts for its members, one of which enters it later. */
  @Test
  void changesOfAGroup_areCountedForEachMember() {
    underTest.writer.list(10, OBJECT);
    GroupingConnection connection = new GroupingConnection();
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ControlledResponseSink sink = new ControlledResponseSink();
      sink.subscription = underTest.opened(StreamRequest.EVERYTHING, connection.sink(sink));
      sinks.add(sink);
      underTest.run();
      underTest.pass(Duration.ofMillis(2_200));
      put(4);
    }
    assertThat(connection.met).contains("GROUP_SENT");

    for (ControlledResponseSink sink : sinks) {
      sink.subscription().terminate(LimitErrors.heapFull());
      underTest.run();
      put(1);
    }

    assertThat(ended).containsExactlyElementsOf(sinks.stream().map(sink -> sentBy(sink)).toList());
    assertThat(ended.stream().map(List::getFirst)).containsExactly(13L, 10L, 7L);
  }

  /** A stream from a version of the client's reads the changes after it for itself. */
  @Test
  void changesAfterAVersion_areCounted() {
    underTest.writer.list(10, OBJECT);
    underTest.subscribe(StreamRequest.EVERYTHING); // else nothing is routed
    put(3);
    ControlledResponseSink sink =
        underTest.subscribe(
            StreamRequest.EVERYTHING.from(new StartPoint.Version(new ResourceVersion("21"))));
    put(1);

    sink.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();

    assertThat(ended).containsExactly(sentBy(sink));
    assertThat(ended.getFirst().getFirst()).isEqualTo(3);
  }
}
