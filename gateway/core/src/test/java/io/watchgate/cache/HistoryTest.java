package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.json.KubeObject;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the limits of history, and of the collection of trimmed revisions. */
final class HistoryTest {
  private static final SampleObject A = SampleObject.of("n", "a", 1);

  private final VirtualTime time = new VirtualTime();

  private CacheWriter writer(Duration age, long bytes) {
    CacheSettings settings = CacheWriter.settings().withHistory(age, bytes).withLaggardBytes(5_000);
    CacheWriter writer = new CacheWriter(settings, time.source());
    writer.list(10, A);
    return writer;
  }

  private static Revision oldest(CacheWriter writer) {
    return Objects.requireNonNull(writer.cache().oldest());
  }

  @Test
  void bytes_areBoundedAfterEveryChange() {
    CacheWriter writer = writer(Duration.ofHours(1), 50_000);
    for (int version = 11; version < 200; version++) {
      writer.put(A.at(version).padding(1_000));
      assertThat(writer.cache().historyBytes()).isLessThanOrEqualTo(50_000);
    }
    assertThat(writer.cache().historyBytes()).isGreaterThan(45_000);
    assertThat(writer.cache().historySize()).isBetween(15, 40);
  }

  @Test
  void bookmarksAlone_areBounded() {
    CacheWriter writer = writer(Duration.ofHours(1), 50_000);
    for (int version = 11; version < 2_000; version++) {
      writer.bookmark(version);
    }
    assertThat(writer.cache().historySize()).isLessThan(500);
  }

  @Test
  void eventOverLimit_leavesOnlyNewestRevision() {
    CacheWriter writer = writer(Duration.ofHours(1), 1_000);
    writer.put(A.at(11).padding(100_000));
    writer.put(A.at(12));

    assertThat(oldest(writer)).isSameAs(writer.head());
    assertThat(writer.cache().historyBytes()).isZero();
  }

  @Test
  void age_countsFromSuccessor() {
    CacheWriter writer = writer(Duration.ofMinutes(10), 1 << 20);
    time.advance(Duration.ofHours(1));
    writer.put(A.at(11));
    assertThat(oldest(writer).version()).hasToString("10");

    time.advance(Duration.ofMinutes(10));
    writer.put(A.at(12));
    assertThat(oldest(writer).version()).hasToString("10");

    time.advance(Duration.ofNanos(1));
    writer.put(A.at(13));
    assertThat(oldest(writer).version()).hasToString("11");
  }

  @Test
  void trimmedRevision_keepsStateWithoutNext() {
    CacheWriter writer = writer(Duration.ofHours(1), 3_000);
    writer.put(A.at(11));
    Revision revision = writer.head();
    assertThat(revision.changes()).hasSize(1);
    for (int version = 12; version < 20; version++) {
      writer.put(A.at(version));
    }

    assertThat(revision.isTrimmed()).isTrue();
    assertThat(revision.next()).isNull();
    assertThat(revision.changes()).isEmpty();
    assertThat(revision.state().size()).isEqualTo(1);
  }

  @Test
  void oldRevision_doesNotKeepLaterOnesReachable() {
    CacheWriter writer = writer(Duration.ofHours(1), 5_000);
    Revision laggard = writer.head();
    writer.put(A.at(11));
    WeakReference<Revision> later = new WeakReference<>(writer.head());
    WeakReference<KubeObject> object =
        new WeakReference<>(Objects.requireNonNull(writer.held("n/a")));
    for (int version = 12; version < 40; version++) {
      writer.put(A.at(version));
    }

    await()
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(later.get()).isNull();
              assertThat(object.get()).isNull();
            });
    assertThat(laggard.state().size()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"9,", "10,10", "11,10", "12,12", "14,12", "15,15", "17,15", "18,18", "1000,18"})
  void floor_betweenRevisions_isEarlierOne(String version, @Nullable String found) {
    CacheWriter writer = writer(Duration.ofHours(1), 1 << 20);
    writer.put(A.at(12));
    writer.bookmark(15);
    writer.list(18, A.at(17));

    Revision floor = writer.cache().revisionAtOrBefore(new ResourceVersion(version));

    assertThat(floor == null ? null : floor.version().digits()).isEqualTo(found);
  }

  @Test
  void versionsBeforeLostHistory_areNotFound() {
    CacheWriter writer = writer(Duration.ofHours(1), 1 << 20);
    writer.put(A.at(20));
    assertThat(writer.list(15, A.at(14))).isEqualTo(Revision.Kind.HISTORY_LOST);
    writer.put(A.at(22));

    assertThat(writer.cache().revisionAtOrBefore(new ResourceVersion("14"))).isNull();
    assertThat(writer.cache().revisionAtOrBefore(new ResourceVersion("21")))
        .returns("15", floor -> floor.version().digits());
  }

  @Test
  void objectThatWentBack_isLostHistory() {
    CacheWriter writer = writer(Duration.ofHours(1), 1 << 20);
    writer.put(A.at(20));
    Revision before = writer.head();

    assertThat(writer.list(30, A.at(19))).isEqualTo(Revision.Kind.HISTORY_LOST);
    assertThat(writer.head().isSameHistoryAs(before)).isFalse();
  }

  @Test
  void otherObjectOfSameName_isLostHistoryUnlessNewer() {
    CacheWriter writer = writer(Duration.ofHours(1), 1 << 20);
    writer.put(A.at(20));

    assertThat(writer.list(30, A.uid("other").at(21))).isEqualTo(Revision.Kind.RELIST);
    assertThat(writer.list(31, A.uid("third").at(21))).isEqualTo(Revision.Kind.HISTORY_LOST);
    assertThat(writer.list(32, A.uid("fourth").at(19))).isEqualTo(Revision.Kind.HISTORY_LOST);
  }

  @Test
  void smallPin_isAllowed() {
    CacheWriter writer = writer(Duration.ofHours(1), 5_000);
    Revision revision = writer.head();
    int version = 11;
    while (writer.cache().canPin(revision)) {
      assertThat(writer.head().supersededBytes() - revision.supersededBytes())
          .isLessThanOrEqualTo(10_000);
      writer.put(A.at(version++));
    }
    assertThat(writer.head().supersededBytes() - revision.supersededBytes())
        .isBetween(10_000L, 12_000L);
    assertThat(writer.cache().canPin(writer.head())).isTrue();
  }
}
