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
final class StateProofsTest {
  private static final long HEAD = 1;

  private final VirtualTime time = new VirtualTime();
  private final StateProofs proofs = new StateProofs(time.source(), () -> null);

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(number));
  }

  private long provenNanos() {
    return Objects.requireNonNull(proofs.proven(HEAD)).nanos();
  }

  @RepeatedTest(20)
  void proof_isLatestRequestWithReachedAnswer() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    TreeMap<Long, Long> askedAt = new TreeMap<>();
    proofs.markUpToDate(time.source().reading());
    long latest = 100;
    long reached = 100;
    for (int step = 0; step < 1_000; step++) {
      time.advance(Duration.ofSeconds(random.nextInt(5)));
      if (random.nextBoolean()) {
        proofs.recordAnswer(version(latest), time.source().reading());
        askedAt.put(latest, time.source().nanoTime());
        proofs.recordVersion(version(reached));
      }
      latest += random.nextInt(3);
      if (random.nextInt(4) == 0) { // at most a few answers behind, which are all remembered
        reached += random.nextLong(latest - reached + 1);
        proofs.recordVersion(version(reached));
      } else if (askedAt.tailMap(reached, false).size() >= StateProofs.MAX_PENDING / 2) {
        reached = latest;
        proofs.recordVersion(version(reached));
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
      proofs.recordAnswer(version(i), time.source().reading());
    }
    long before = 0;
    int changes = 0;
    for (int i = 1; i <= 1_000; i++) {
      proofs.recordVersion(version(i));
      TimeSource.Reading proven = proofs.proven(HEAD);
      long now = proven == null ? 0 : proven.nanos();
      assertThat(now).isBetween(before, Duration.ofSeconds(10L * i).toNanos());
      changes += now > before ? 1 : 0;
      before = now;
    }
    assertThat(before).isEqualTo(Duration.ofSeconds(10_000).toNanos());
    assertThat(changes).isBetween(5, StateProofs.MAX_PENDING);
  }

  @Test
  void answersWithOneVersion_displaceNoOther() {
    time.advance(Duration.ofSeconds(1));
    proofs.recordAnswer(version(5), time.source().reading());
    for (int i = 0; i < 2 * StateProofs.MAX_PENDING; i++) {
      time.advance(Duration.ofSeconds(1));
      proofs.recordAnswer(version(6), time.source().reading());
    }

    proofs.recordVersion(version(5));
    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    proofs.recordVersion(version(6));
    assertThat(provenNanos())
        .isEqualTo(Duration.ofSeconds(1 + 2 * StateProofs.MAX_PENDING).toNanos());
  }

  @Test
  void proof_isNeverRevoked() {
    TimeSource.Reading early = time.source().reading();
    time.advance(Duration.ofSeconds(10));
    proofs.markUpToDate(time.source().reading());

    proofs.recordAnswer(version(5), early);
    proofs.recordVersion(version(5));

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(10).toNanos());
  }

  @Test
  void equalState_provesThatRevisionOnly() {
    proofs.markUpToDate(time.source().reading());
    time.advance(Duration.ofSeconds(5));
    assertThat(proofs.recordEqual(HEAD, version(9), time.source().reading())).isTrue();

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
    assertThat(proofs.equalVersion(HEAD)).isEqualTo(version(9));
    assertThat(Objects.requireNonNull(proofs.proven(HEAD + 1)).nanos()).isZero();
    assertThat(proofs.equalVersion(HEAD + 1)).isNull();
  }

  /** A lost connection is a doubt: a stream's {@code verified_at} does not go back. */
  @Test
  void timeOfProof_staysInDoubt() {
    proofs.markUpToDate(time.source().reading());
    time.advance(Duration.ofSeconds(5));
    proofs.recordEqual(HEAD, version(9), time.source().reading());
    proofs.markInDoubt();

    assertThat(provenNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
  }

  @Test
  void equalVersionInDoubt_isUnknown() {
    TimeSource.Reading asked = time.source().reading();
    proofs.recordEqual(HEAD, version(9), asked);
    proofs.markInDoubt();

    assertThat(proofs.equalVersion(HEAD)).isNull();
    assertThat(proofs.recordEqual(HEAD, version(9), asked)).isFalse();
    assertThat(proofs.equalVersion(HEAD)).isNull();
  }

  @Test
  void withoutProof_stalenessIsAgeOfCache() {
    time.advance(Duration.ofSeconds(3));

    assertThat(proofs.proven(HEAD)).isNull();
    assertThat(Duration.ofNanos(proofs.nanosSince(proofs.proven(HEAD)))).hasSeconds(3);
  }

  @Test
  void sleepingMachine_agesByWallClock() {
    Duration[] slept = {Duration.ZERO};
    TimeSource source = time.source();
    StateProofs asleep =
        new StateProofs(
            new TimeSource(() -> source.now().plus(slept[0]), source::nanoTime), () -> null);
    slept[0] = Duration.ofHours(8);

    assertThat(Duration.ofNanos(asleep.nanosSince(null))).hasHours(8);

    slept[0] = Duration.ofHours(-8); // its clock was set back
    time.advance(Duration.ofMinutes(1));
    assertThat(Duration.ofNanos(asleep.nanosSince(null))).hasMinutes(1);
  }
}
