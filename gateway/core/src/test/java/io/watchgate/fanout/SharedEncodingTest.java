package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiException;
import io.watchgate.json.KubeObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that bytes are encoded once for all streams: an identical array was encoded once. */
final class SharedEncodingTest {
  private static final SampleObject OBJECT = SampleObject.of("n2", "a", 5).app("a").padding(500);

  private final CacheUnderTest underTest = new CacheUnderTest();

  private static Set<byte[]> arrays(ByteSlices... responses) {
    Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    for (ByteSlices response : responses) {
      for (int i = 0; i < response.count(); i++) {
        arrays.add(response.array(i));
      }
    }
    return arrays;
  }

  private byte[] held(String key) {
    KubeObject object = Objects.requireNonNull(underTest.writer.held(key));
    return object.bytes();
  }

  @Test
  void followersOfAFeed_shareTheResponse() {
    underTest.writer.list(10, OBJECT);
    ControlledResponseSink one = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink other = underTest.subscribe(StreamRequest.EVERYTHING);
    underTest.writer.put(OBJECT.at(11));
    underTest.run();

    assertThat(one.lastResponse().getEventsCount()).isEqualTo(1);
    assertThat(one.last()).isSameAs(other.last());
  }

  @Test
  void feedsOfAProjection_shareTheEventButNotTheToken() {
    underTest.writer.list(10);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sinks.add(underTest.subscribe(StreamRequest.labels("app!=x" + i)));
    }
    for (SampleObject state : List.of(OBJECT.at(11), OBJECT.at(12))) {
      underTest.writer.put(state);
      underTest.run();

      Set<byte[]> arrays =
          arrays(sinks.stream().map(ControlledResponseSink::last).toArray(ByteSlices[]::new));
      assertThat(arrays).as("head, body, and a token for each feed").hasSize(2 + 100);
      assertThat(arrays.contains(held("n2/a"))).isTrue();
    }
    underTest.writer.delete(OBJECT, 13);
    underTest.run();
    assertThat(arrays(sinks.get(0).last(), sinks.get(1).last()))
        .as("a delete: head, body in three pieces of two arrays, two tokens")
        .hasSize(1 + 2 + 2);
  }

  @Test
  void eventBody_isTheCachesArrayInEveryProjection() {
    underTest.writer.list(10, OBJECT);
    for (ObjectProjection projection :
        List.of(
            ObjectProjection.FULL, ObjectProjection.NO_MANAGED_FIELDS, ObjectProjection.METADATA)) {
      ControlledResponseSink sink =
          underTest.subscribe(StreamRequest.EVERYTHING.projected(projection));
      underTest.writer.put(OBJECT.at(underTest.writer.head().number() + 20));
      underTest.run();

      assertThat(arrays(sink.last()).contains(held("n2/a"))).isTrue();
    }
  }

  @Test
  void snapshotBodies_areTheCachesArrays() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).padding(3_000));
    }
    underTest.writer.list(10, objects);
    ControlledResponseSink sink = underTest.subscribe(StreamRequest.EVERYTHING);

    Set<byte[]> arrays = arrays(sink.sent.toArray(ByteSlices[]::new));
    for (SampleObject object : objects) {
      assertThat(arrays.contains(held("n1/" + object.name()))).isTrue();
    }
  }

  @Test
  void patch_isEncodedOnceForAllFeeds() {
    underTest.writer.list(10, OBJECT);
    ObjectProjection patches = ObjectProjection.FULL.withPatches();
    ControlledResponseSink one =
        underTest.subscribe(StreamRequest.labels("app!=x").projected(patches));
    ControlledResponseSink other =
        underTest.subscribe(StreamRequest.labels("app!=y").projected(patches));
    underTest.writer.put(OBJECT.at(11));
    underTest.run();

    assertThat(one.lastResponse().getEvents(0).hasPatch()).isTrue();
    assertThat(one.last().array(0)).isSameAs(other.last().array(0));
    assertThat(arrays(one.last(), other.last())).hasSize(1 + 2);
  }

  @Test
  void replayedEvent_isEncodedOnceForAllFeeds() throws ApiException {
    underTest.writer.list(10, OBJECT);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    List<StartPoint> starts = new ArrayList<>();
    List<StreamRequest> askings =
        List.of(StreamRequest.labels("app!=x"), StreamRequest.labels("app!=y"));
    for (StreamRequest asking : askings) {
      ControlledResponseSink first = underTest.subscribe(asking);
      ByteString token = first.lastResponse().getResumeToken();
      starts.add(new StartPoint.Token(asking.tokens().check(token)));
      first.subscription().transportClosed(ClientEnd.CLIENT);
    }
    for (int i = 0; i < 200; i++) {
      underTest.writer.put(OBJECT.at(11 + i));
    }
    for (int i = 0; i < 2; i++) {
      sinks.add(underTest.open(askings.get(i).from(starts.get(i)), new ControlledResponseSink()));
    }
    underTest.run();
    underTest.pass(Duration.ofMillis(100));

    assertThat(sinks).allSatisfy(sink -> assertThat(sink.changes()).hasSize(200));
    Set<byte[]> arrays = arrays(sinks.get(0).last(), sinks.get(1).last());
    assertThat(arrays.size() - 2).isEqualTo(arrays(sinks.get(0).last()).size() - 1);
  }
}
