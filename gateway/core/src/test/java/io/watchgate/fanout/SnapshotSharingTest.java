package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.SampleObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of joining the snapshots of other streams. */
final class SnapshotSharingTest {
  private static final SampleObject FIRST = SampleObject.of("n1", "o0", 5);

  private final CacheUnderTest underTest = new CacheUnderTest();

  /** Stream in the middle of its snapshot, which can be joined. */
  private final ControlledResponseSink first = new ControlledResponseSink();

  @BeforeEach
  void startFirstSnapshot() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).padding(2_000));
    }
    underTest.writer.list(10, objects);
    underTest.open(StreamRequest.EVERYTHING, first);
    while (chunks(first).isEmpty()) {
      assertThat(underTest.owning.runOne()).isTrue();
    }
    first.stalled();
    underTest.run();
    assertThat(first.responses()).noneMatch(response -> response.hasSynced());
  }

  /**
   * Returns the first array of each encoded chunk. In a snapshot of many objects of 2 KiB only the
   * chunks are large. The last chunk is followed by the end of the stream's own snapshot.
   */
  private static List<byte[]> chunks(ControlledResponseSink sink) {
    return sink.sent.stream()
        .filter(response -> response.size() > 5_000)
        .map(response -> response.array(0))
        .toList();
  }

  private static String syncedAt(ControlledResponseSink sink) {
    return sink.responses().stream()
        .filter(response -> response.hasSynced())
        .findFirst()
        .orElseThrow()
        .getResourceVersion();
  }

  @Test
  void hundredStreamsWithinTwoSeconds_shareOneEncoding() {
    List<ControlledResponseSink> joined = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      joined.add(underTest.subscribe(StreamRequest.EVERYTHING));
      underTest.pass(Duration.ofMillis(10));
    }
    Set<byte[]> different = Collections.newSetFromMap(new IdentityHashMap<>());
    joined.forEach(sink -> different.addAll(chunks(sink)));

    assertThat(joined).allSatisfy(sink -> assertThat(syncedAt(sink)).isEqualTo("10"));
    assertThat(different).hasSize(chunks(joined.getFirst()).size()).hasSizeGreaterThan(2);
    assertThat(different.contains(chunks(first).getFirst())).isTrue();
  }

  @Test
  void joinedStream_followsFromTheSharedRevision() {
    underTest.writer.put(FIRST.at(11));
    underTest.pass(Duration.ofSeconds(1));
    underTest.writer.put(FIRST.at(12));
    ControlledResponseSink joined = underTest.subscribe(StreamRequest.EVERYTHING);
    underTest.writer.put(FIRST.at(13));
    underTest.run();

    assertThat(syncedAt(joined)).isEqualTo("10");
    assertThat(joined.changes()).containsExactly("11", "12", "13");
  }

  @Test
  void streamAfterTwoSeconds_getsANewSnapshot() {
    underTest.writer.put(FIRST.at(11));
    underTest.pass(Duration.ofMillis(2_010));
    ControlledResponseSink later = underTest.subscribe(StreamRequest.EVERYTHING);

    assertThat(syncedAt(later)).isEqualTo("11");
    assertThat(chunks(later).getFirst()).isNotSameAs(chunks(first).getFirst());
  }

  @Test
  void laterMinimumVersion_getsANewSnapshot() {
    underTest.writer.put(FIRST.at(11));
    ControlledResponseSink minimum = underTest.subscribe(StreamRequest.EVERYTHING.atLeast(11));

    assertThat(syncedAt(minimum)).isEqualTo("11");
  }

  @Test
  void stalledStream_getsTheRestOfTheSameSnapshot() {
    ControlledResponseSink other = underTest.subscribe(StreamRequest.EVERYTHING);
    underTest.writer.put(FIRST.at(11));
    underTest.pass(Duration.ofMinutes(1));
    first.read();
    underTest.run();

    assertThat(chunks(first)).hasSameSizeAs(chunks(other)).hasSizeGreaterThan(2);
    for (int i = 0; i < chunks(first).size(); i++) {
      assertThat(chunks(first).get(i)).isSameAs(chunks(other).get(i));
    }
    assertThat(first.changes()).containsExactly("11");
  }
}
