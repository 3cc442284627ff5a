package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Freshness;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.cache.UpstreamState;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class VersionWaitTest {
  private static final Duration NONE = Duration.ofMillis(1);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final ResourceVersion WANTED = version(50);

  private final CacheWriter writer = new CacheWriter(CacheWriter.settings(), TimeSource.SYSTEM);
  private final List<String> asked = new ArrayList<>();

  VersionWaitTest() {
    writer.list(40, SampleObject.of("n1", "a", 5));
  }

  private static ResourceVersion version(long number) {
    return new ResourceVersion(Long.toString(number));
  }

  private static FanoutSettings waits(Duration position, Duration look) {
    FanoutSettings usual = FanoutSettings.DEFAULTS;
    return new FanoutSettings(
        position,
        look,
        usual.loadTimeout(),
        usual.backfillTimeout(),
        usual.streamAge(),
        usual.limits());
  }

  private void upstream(Supplier<CompletableFuture<UpstreamLookups.Progress>> answer) {
    writer.setUpstreamLookups(
        new UpstreamLookups() {
          @Override
          public CompletionStage<Progress> requestProgress() {
            asked.add("progress");
            return answer.get();
          }

          @Override
          public CompletionStage<Boolean> backfill(ResourceVersion version) {
            throw new AssertionError("no backfill is needed");
          }
        });
  }

  private ErrorReason refused(FanoutSettings waits) {
    return catchThrowableOfType(
            ApiException.class, () -> new VersionWait(writer.cache(), waits).awaitHead(WANTED))
        .error()
        .reason();
  }

  @Test
  void forbiddenType_isRefusedWithRetryAfterTenSeconds() {
    CacheWriter without = new CacheWriter(CacheWriter.settings(), TimeSource.SYSTEM);
    without.upstream(UpstreamState.ReflectorPhase.LOADING, new UpstreamFailure.Forbidden("403"));
    ApiError refusal =
        catchThrowableOfType(
                ApiException.class,
                () -> new VersionWait(without.cache(), waits(NONE, NONE)).awaitHead(null))
            .error();

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN);
    assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(10));
  }

  private void proofs(Supplier<Freshness> answer) {
    writer
        .cache()
        .setFreshnessLookup(
            () -> {
              asked.add("proof");
              return CompletableFuture.supplyAsync(answer);
            });
  }

  private Freshness equalAt(long version) {
    writer.proveEqual(version);
    return new Freshness.Proven(version(version));
  }

  @Test
  void versionOfAnotherType_isReachedByProof() throws Exception {
    upstream(CompletableFuture::new);
    proofs(() -> equalAt(60));

    assertThat(new VersionWait(writer.cache(), waits(LONG, LONG)).awaitHead(WANTED).version())
        .isEqualTo(version(40));
    assertThat(asked).containsExactly("proof");
  }

  /** Its changes must not postpone the end. */
  @Test
  @Timeout(300)
  void versionThatBusyTypeNeverReaches_isRefusedInTime() throws Exception {
    upstream(() -> CompletableFuture.completedFuture(new UpstreamLookups.Unknown("away")));
    proofs(() -> new Freshness.Unproven("away"));
    AtomicBoolean done = new AtomicBoolean();
    Thread writing =
        Thread.startVirtualThread(
            () -> {
              for (int version = 41; !done.get(); version++) {
                writer.put(SampleObject.of("n1", "a", version));
                LockSupport.parkNanos(1_000_000);
              }
            });
    try {
      assertThat(
              catchThrowableOfType(
                      ApiException.class,
                      () ->
                          new VersionWait(writer.cache(), waits(Duration.ofMillis(200), NONE))
                              .awaitHead(version(1_000_000_000)))
                  .error()
                  .reason())
          .isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
    } finally {
      done.set(true);
      writing.join();
    }
    assertThat(asked).contains("progress");
  }

  @Test
  void zeroStaleness_isProven() throws Exception {
    proofs(() -> equalAt(60));

    VersionWait wait = new VersionWait(writer.cache(), waits(NONE, NONE));
    assertThat(wait.awaitFresh(null, Duration.ofHours(1)).version()).isEqualTo(version(40));
    assertThat(asked).isEmpty();
    assertThat(wait.awaitFresh(null, Duration.ZERO).version()).isEqualTo(version(40));
    assertThat(asked).containsExactly("proof");
  }

  private ApiError refusedAsOfNow() {
    return catchThrowableOfType(
            ApiException.class,
            () ->
                new VersionWait(writer.cache(), waits(NONE, NONE)).awaitFresh(null, Duration.ZERO))
        .error();
  }

  @Test
  void zeroStaleness_unproven_isTooStale() {
    proofs(() -> new Freshness.Unproven("away"));

    ApiError refusal = refusedAsOfNow();
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(refusal.message()).contains("within max_staleness: away. Try another replica");
  }

  /** Each proof is of a state that has changed when it is read. */
  @Test
  void zeroStaleness_neverOfTheHead_endsAsTooStale() {
    proofs(() -> new Freshness.Proven(version(60)));

    ApiError refusal = refusedAsOfNow();
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(refusal.message()).contains(Freshness.Unproven.CHANGES_TOO_FAST.reason());
    assertThat(asked).hasSize(3);
  }

  /** A list waits no longer for three slow proofs than for one. */
  @Tag("slow")
  @Test
  @Timeout(300)
  void zeroStaleness_slowProofs_haveOneTime() {
    CompletableFuture<Freshness> never = new CompletableFuture<>();
    List<CompletableFuture<Freshness>> answers = new ArrayList<>();
    writer
        .cache()
        .setFreshnessLookup(
            () -> {
              answers.add(
                  never
                      .copy()
                      .completeOnTimeout(
                          new Freshness.Proven(version(60)),
                          FanoutSettings.PROOF_TIMEOUT.toMillis() * 3 / 5,
                          TimeUnit.MILLISECONDS));
              return answers.getLast();
            });

    assertThat(refusedAsOfNow().reason()).isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(answers).hasSizeBetween(1, 2); // one if it was seen after the time of all
  }

  @Test
  void cachedVersion_needsNoLookup() throws Exception {
    upstream(CompletableFuture::new);
    writer.bookmark(60);

    assertThat(new VersionWait(writer.cache(), waits(NONE, NONE)).awaitHead(WANTED).version())
        .isEqualTo(version(60));
    assertThat(asked).isEmpty();
  }

  @Test
  void missingVersion_isLookedUpAndAwaited() throws Exception {
    upstream(
        () ->
            CompletableFuture.supplyAsync(
                () -> {
                  writer.bookmark(50);
                  return new UpstreamLookups.At(version(60));
                }));

    assertThat(new VersionWait(writer.cache(), waits(NONE, LONG)).awaitHead(WANTED).version())
        .isEqualTo(WANTED);
    assertThat(asked).hasSize(1);
  }

  @Test
  void versionUnknownUpstream_isRefusedAtOnce() {
    upstream(() -> CompletableFuture.completedFuture(new UpstreamLookups.At(version(45))));

    assertThat(refused(waits(NONE, LONG))).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
  }

  @Test
  void failedLookup_isRefusedAtOnce() {
    upstream(() -> CompletableFuture.completedFuture(new UpstreamLookups.Unknown("away")));

    assertThat(refused(waits(NONE, LONG))).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
  }

  @Test
  void confirmedVersion_isAwaitedOnlyForTheTimeout() {
    upstream(() -> CompletableFuture.completedFuture(new UpstreamLookups.At(version(60))));

    assertThat(refused(waits(NONE, NONE))).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
    assertThat(asked).hasSize(1);
  }

  @Test
  void lookupWithoutAnswer_timesOut() {
    upstream(CompletableFuture::new);

    assertThat(refused(waits(NONE, NONE))).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
    assertThat(asked).hasSize(1);
  }
}
