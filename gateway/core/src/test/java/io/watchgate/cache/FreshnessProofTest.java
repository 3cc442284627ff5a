package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Upstream.BookmarkKind;
import io.watchgate.cache.Upstream.EventType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Proofs by a list, a version or a brief watch, each by a script of the apiserver. */
final class FreshnessProofTest {
  private static final SampleObject A = SampleObject.of("n", "a", 5);
  private static final SampleObject B = SampleObject.of("n", "b", 12);

  private final VirtualTime time = new VirtualTime();
  private final ScriptedUpstream upstream = new ScriptedUpstream();
  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());
  private final WatchCache cache = writer.cache();
  private final List<String> outcomes = new ArrayList<>();
  private final List<Long> waits = new ArrayList<>();

  /** Longest wait for events. */
  private Duration wait = Duration.ofMillis(20);

  private Freshness prove(int maxListed) throws InterruptedException {
    return proof(maxListed).prove();
  }

  private FreshnessProof proof(int maxListed) {
    CacheMetrics metrics = CacheMetricsRecorder.of(outcomes);
    CountDownLatch stopped = new CountDownLatch(1);
    FreshnessProofSettings usual = FreshnessProofSettings.DEFAULTS;
    return new FreshnessProof(
        upstream,
        new VersionProbe(upstream, cache, metrics, (latch, wait) -> {}, stopped),
        cache,
        new FreshnessProofSettings(
            maxListed,
            wait,
            wait,
            usual.listInterval(),
            usual.minListInterval(),
            usual.versionInterval()),
        (latch, until) -> {
          waits.add(until.toMillis());
          time.advance(until);
        },
        stopped,
        metrics);
  }

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(number));
  }

  private static Freshness provenAt(long number) {
    return new Freshness.Proven(version(number));
  }

  private Duration staleness() {
    return Duration.ofNanos(cache.proofs().stalenessNanos());
  }

  /** The list is at 10; a minute later the apiserver is at 15, by changes of other types. */
  private void quietMinute() {
    writer.list(10, A);
    time.advance(Duration.ofMinutes(1));
  }

  @Test
  void listEqualToState_provesItsVersion() throws Exception {
    quietMinute();
    upstream.listMetadata(15, A);

    assertThat(prove(100)).isEqualTo(provenAt(15));

    assertThat(staleness()).isZero();
    assertThat(Duration.ofNanos(cache.proofs().stalenessNanos(writer.head()))).isZero();
    assertThat(cache.proofs().hasReached(version(15))).isTrue();
    assertThat(cache.proofs().hasReached(version(16))).isFalse();
    assertThat(writer.head().version()).isEqualTo(version(10));
    assertThat(upstream.asked).containsExactly("list metadata");
    assertThat(outcomes).containsExactly("freshness list proven");
  }

  /** The change arrives once the proof has found the states different. */
  @Test
  void changeOnItsWay_isAwaited() throws Exception {
    quietMinute();
    upstream.listMetadata(15, A, B);
    wait = Duration.ofMinutes(1);
    Thread watch = Thread.ofVirtual().start(() -> writer.event(EventType.ADDED, B));

    assertThat(prove(100)).isEqualTo(provenAt(15));
    watch.join();
    assertThat(cache.proofs().hasReached(version(15))).isTrue();
  }

  @Test
  void otherUid_isNotEqual() throws Exception {
    quietMinute();
    upstream.listMetadata(15, A.uid("another"));

    assertThat(prove(100)).isInstanceOf(Freshness.Unproven.class);
    assertThat(staleness()).hasMinutes(1);
    assertThat(cache.proofs().hasReached(version(11))).isFalse();
  }

  @Test
  void missingObject_isNotEqual() throws Exception {
    quietMinute();
    upstream.listMetadata(15);

    assertThat(prove(100)).isInstanceOf(Freshness.Unproven.class);
    assertThat(staleness()).hasMinutes(1);
  }

  /** An object that was created at 12 and deleted at 13: the state at 12 is older than the list. */
  @Test
  void lateEventsOfDeletedObject_loseProofUntilVersionIsReached() throws Exception {
    quietMinute();
    upstream.listMetadata(15, A);
    assertThat(prove(100)).isEqualTo(provenAt(15));

    writer.event(EventType.ADDED, B);
    assertThat(staleness()).hasMinutes(1);
    assertThat(cache.proofs().hasReached(version(13))).isFalse();
    writer.delete(B, 13);
    assertThat(cache.proofs().hasReached(version(14))).isFalse();
    writer.bookmark(15);

    assertThat(staleness()).isZero();
  }

  @Test
  void laterRevision_keepsStalenessOfProvenOne() throws Exception {
    quietMinute();
    upstream.listMetadata(15, A);
    prove(100);
    Revision proven = writer.head();

    writer.event(EventType.ADDED, B.at(20));

    assertThat(Duration.ofNanos(cache.proofs().stalenessNanos(proven))).isZero();
  }

  /** The list has more objects than are kept for a comparison, so only their digest is known. */
  @Test
  void listAboveTheLimit_isNotCompared() throws Exception {
    quietMinute();
    upstream.answeringMetadata(
        sink -> {
          writer.event(EventType.ADDED, B);
          sink.item(A.bytes());
          sink.item(B.bytes());
          return new Upstream.Listed("15");
        });

    assertThat(prove(1)).isInstanceOf(Freshness.Unproven.class);
    assertThat(outcomes).containsExactly("freshness list unproven");
  }

  @Test
  void apiserverBehind_provesNothing() throws Exception {
    quietMinute();
    upstream.listMetadata(9, A);

    assertThat(prove(100))
        .isEqualTo(
            new Freshness.Unproven("the apiserver is at version 9, before that of the cache"));
    assertThat(staleness()).hasMinutes(1);
  }

  @Test
  void historyInDoubt_provesNothing() throws Exception {
    quietMinute();
    cache.proofs().markInDoubt();
    upstream.listMetadata(15, A);

    assertThat(prove(100)).isInstanceOf(Freshness.Unproven.class);
    assertThat(staleness()).hasMinutes(1);
  }

  @Test
  void apiserverAway_isSaid() throws Exception {
    quietMinute();
    upstream.atEnd(() -> {});

    assertThat(prove(100)).isEqualTo(new Freshness.Unproven("the script is over"));
    assertThat(outcomes).containsExactly("freshness list unproven");
  }

  @Test
  void largeType_versionReached_isProvenWithoutList() throws Exception {
    writer.list(10, A);
    time.advance(Duration.ofMinutes(1));
    upstream.probe(new Upstream.Listed("10"));

    assertThat(prove(0)).isEqualTo(provenAt(10));
    assertThat(staleness()).isZero();
    assertThat(upstream.asked).containsExactly("probe");
  }

  @Test
  @Timeout(300)
  void largeQuietType_isProvenByBriefWatchAtOnce() throws Exception {
    wait = Duration.ofSeconds(50); // less than the time without a change
    quietMinute();
    upstream
        .probe(new Upstream.Listed("15"))
        .briefWatch(
            sink -> {
              sink.bookmark("14", BookmarkKind.PROGRESS);
              sink.bookmark("16", BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });

    assertThat(prove(0)).isEqualTo(provenAt(16));
    assertThat(staleness()).isZero();
    assertThat(cache.proofs().hasReached(version(16))).isTrue();
    assertThat(upstream.asked).containsExactly("probe", "brief watch 10");
  }

  @Test
  void largeChangingType_versionIsAwaited() throws Exception {
    wait = Duration.ofSeconds(30);
    writer.list(10, A);
    upstream.probe(new Upstream.Listed("15"));
    SampleObject next = SampleObject.of("n", "b", 15);
    Thread later = Thread.ofVirtual().start(() -> writer.event(EventType.ADDED, next));

    assertThat(prove(0)).isEqualTo(provenAt(15));
    later.join();
    assertThat(upstream.asked).containsExactly("probe");
  }

  @Test
  void briefWatchWithEvent_provesStateThatHasIt() throws Exception {
    quietMinute();
    upstream
        .probe(new Upstream.Listed("15"))
        .briefWatch(
            sink -> {
              ScriptedUpstream.send(sink, EventType.ADDED, B);
              sink.bookmark("16", BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });
    assertThat(prove(0)).as("the event has not arrived").isInstanceOf(Freshness.Unproven.class);

    upstream
        .probe(new Upstream.Listed("15"))
        .briefWatch(
            sink -> {
              ScriptedUpstream.send(sink, EventType.ADDED, B);
              writer.event(EventType.ADDED, B);
              sink.bookmark("16", BookmarkKind.PROGRESS);
              return new Upstream.WatchOutcome(null);
            });
    assertThat(prove(0)).isEqualTo(provenAt(16));
    assertThat(Objects.requireNonNull(CacheWriter.verifiedAt(cache)))
        .isEqualTo(time.source().now());
  }

  /** The watch of the reflector has sent one of two deletes of one transaction. */
  @Test
  void briefWatchWithMissingDelete_provesOnlyTheStateThatHasIt() throws Exception {
    writer.list(10, A, B.at(8), SampleObject.of("n", "c", 9));
    writer.event(EventType.DELETED, A.at(20));
    time.advance(Duration.ofMinutes(1));
    for (int i = 0; i < 2; i++) {
      upstream
          .probe(new Upstream.Listed("25"))
          .briefWatch(
              sink -> {
                ScriptedUpstream.send(sink, EventType.DELETED, A.at(20));
                ScriptedUpstream.send(sink, EventType.DELETED, B.at(20));
                sink.bookmark("26", BookmarkKind.PROGRESS);
                return new Upstream.WatchOutcome(null);
              });
    }

    assertThat(prove(0)).isInstanceOf(Freshness.Unproven.class);
    assertThat(upstream.asked).containsExactly("probe", "brief watch 19");
    writer.event(EventType.DELETED, B.at(20));
    assertThat(prove(0)).isEqualTo(provenAt(26));
  }

  @Test
  void noBookmark_provesNothing() throws Exception {
    quietMinute();
    upstream.probe(new Upstream.Listed("15")).briefWatch(sink -> new Upstream.WatchOutcome(null));

    assertThat(prove(0)).isEqualTo(new Freshness.Unproven("no bookmark came in a brief watch"));
  }

  /** Two at once, then three a second on average. */
  @Test
  void turns_ofSmallType_areThreeASecond() throws Exception {
    writer.list(10, A);
    FreshnessProof proof = proof(100);
    long begun = time.source().nanoTime();
    for (int i = 0; i < 9; i++) {
      proof.awaitTurn();
    }

    assertThat(waits).containsExactly(150L, 550L, 150L, 550L, 150L, 550L, 150L, 550L);
    assertThat(Duration.ofNanos(time.source().nanoTime() - begun)).hasMillis(2_800);
    time.advance(Duration.ofSeconds(1));
    proof.awaitTurn();
    assertThat(waits).as("after a pause").hasSize(8);
  }

  @Test
  void turns_ofLargeType_areFrequent() throws Exception {
    writer.list(10, A);
    FreshnessProof proof = proof(0);
    for (int i = 0; i < 3; i++) {
      proof.awaitTurn();
    }

    assertThat(waits).containsExactly(40L, 40L);
  }
}
