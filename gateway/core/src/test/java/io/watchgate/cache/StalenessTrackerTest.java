package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Tests against a model that remembers every answer. */
final class StalenessTrackerTest {
  private static final long HEAD = 1;

  private final VirtualTime time = new VirtualTime();
  private final StalenessTracker freshness = new StalenessTracker(time.source());

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(number));
  }

  private long provenNanos() {
    return Objects.requireNonNull(freshness.proven(HEAD)).nanos();
  }

  @RepeatedTest(20)
  void proof_isLatestRequestWithReachedAnswer() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    TreeMap<Long, Long> askedAt = new TreeMap<>();
    freshness.markUpToDate(time.source().reading());
    long latest = 100;
    long reached = 100;
    for (int step = 0; step < 1_000; step++) {
      time.advance(Duration.ofSeconds(random.nextInt(5)));
      if (random.nextBoolean()) {
        freshness.recordAnswer(version(latest), time.source().reading(), () -> null);
        askedAt.put(latest, time.source().nanoTime());
        freshness.recordVersion(version(reached));
      }
      latest += random.nextInt(3);
      if (random.nextInt(4) == 0) { // at most a few answers behind, which are all remembered
        reached += random.nextLong(latest - reached + 1);
        freshness.recordVersion(version(reached));
      } else if (askedAt.tailMap(reached, false).size() >= StalenessTracker.MAX_PENDING / 2) {
        reached = latest;
        freshness.recordVersion(version(reached));
      }
      Map.Entry<Long, Long> last = askedAt.floorEntry(reached);
      assertThat(provenNanos())
          .as("seed %d, step %d", seed, step)
          .isEqualTo(last == null ? 0 : last.getValue());
    }
  }

  /** It may then prove less than possible, never more. */
  @Test
  void stateFarBehind_stillReachesSomeAnswers() {
    for (int i = 1; i <= 1_000; i++) {
      time.advance(Duration.ofSeconds(10));
      freshness.recordAnswer(version(i), time.source().reading(), () -> null);
    }
    long before = 0;
    int proofs = 0;
    for (int i = 1; i <= 1_000; i++) {
      freshness.recordVersion(version(i));
      TimeSource.Reading proven = freshness.proven(HEAD);
      long now = proven == null ? 0 : proven.nanos();
      assertThat(now).isBetween(before, Duration.ofSeconds(10L * i).toNanos());
      proofs += now > before ? 1 : 0;
      before = now;
    }
    assertThat(before).isEqualTo(Duration.ofSeconds(10_000).toNanos());
    assertThat(proofs).isBetween(5, StalenessTracker.MAX_PENDING);
  }

  @Test
  void answersWithOneVersion_displaceNoOther() {
    time.advance(Duration.ofSeconds(1));
    freshness.recordAnswer(version(5), time.source().reading(), () -> null);
    for (int i = 0; i < 2 * StalenessTracker.MAX_PENDING; i++) {
      time.advance(Duration.ofSeconds(1));
      freshness.recordAnswer(version(6), time.source().reading(), () -> null);
    }

    freshness.recordVersion(version(5));
    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    freshness.recordVersion(version(6));
    assertThat(provenNanos())
        .isEqualTo(Duration.ofSeconds(1 + 2 * StalenessTracker.MAX_PENDING).toNanos());
  }

  @Test
  void proof_isNeverRevoked() {
    TimeSource.Reading early = time.source().reading();
    time.advance(Duration.ofSeconds(10));
    freshness.markUpToDate(time.source().reading());

    freshness.recordAnswer(version(5), early, () -> null);
    freshness.recordVersion(version(5));

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
  }

  @Test
  void equalState_provesThatRevisionOnly() {
    freshness.markUpToDate(time.source().reading());
    time.advance(Duration.ofSeconds(5));
    assertThat(freshness.recordEqual(HEAD, version(9), time.source().reading())).isTrue();

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
    assertThat(freshness.equalVersion(HEAD)).isEqualTo(version(9));
    assertThat(Objects.requireNonNull(freshness.proven(HEAD + 1)).nanos()).isZero();
    assertThat(freshness.equalVersion(HEAD + 1)).isNull();
  }

  /** A lost connection is a doubt: a stream's {@code verified_at} does not go back. */
  @Test
  void timeOfProof_staysInDoubt() {
    freshness.markUpToDate(time.source().reading());
    time.advance(Duration.ofSeconds(5));
    freshness.recordEqual(HEAD, version(9), time.source().reading());
    freshness.markInDoubt();

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
  }

  @Test
  void equalVersionInDoubt_isUnknown() {
    TimeSource.Reading asked = time.source().reading();
    freshness.recordEqual(HEAD, version(9), asked);
    freshness.markInDoubt();

    assertThat(freshness.equalVersion(HEAD)).isNull();
    assertThat(freshness.recordEqual(HEAD, version(9), asked)).isFalse();
    assertThat(freshness.equalVersion(HEAD)).isNull();
  }

  @Test
  void withoutProof_stalenessIsAgeOfCache() {
    time.advance(Duration.ofSeconds(3));

    assertThat(freshness.proven(HEAD)).isNull();
    assertThat(Duration.ofNanos(freshness.nanosSince(freshness.proven(HEAD)))).hasSeconds(3);
  }

  @Test
  void sleepingMachine_agesByWallClock() {
    Duration[] slept = {Duration.ZERO};
    TimeSource source = time.source();
    StalenessTracker asleep =
        new StalenessTracker(new TimeSource(() -> source.now().plus(slept[0]), source::nanoTime));
    slept[0] = Duration.ofHours(8);

    assertThat(Duration.ofNanos(asleep.nanosSince(null))).hasHours(8);

    slept[0] = Duration.ofHours(-8); // its clock was set back
    time.advance(Duration.ofMinutes(1));
    assertThat(Duration.ofNanos(asleep.nanosSince(null))).hasMinutes(1);
  }
}
