package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.TimeSource;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of grants with all their threads, and an apiserver that hangs. */
final class GrantRecheckerThreadsTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration EVERY = AuthSettings.Rechecks.DEFAULTS.interval();
  private static final Duration GRACE = AuthSettings.Rechecks.DEFAULTS.grace();
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final AtomicLong nanos = new AtomicLong();
  private final TimeSource time = new TimeSource(() -> BEGIN.plusNanos(nanos.get()), nanos::get);
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Authenticator authenticator =
      new Authenticator(
          Callers.TOKENS,
          StaticTokens.empty(),
          audiences ->
              new TokenReviewCache(
                  apiserver, apiserver, audiences, time, threads, AuthMetrics.NONE),
          chain -> true,
          time);
  private final Authorizer authorizer =
      new Authorizer(
          AuthSettings.Authorization.KUBERNETES,
          apiserver,
          apiserver,
          time,
          threads,
          AuthMetrics.NONE);
  private final GrantRechecker grants =
      new GrantRechecker(
          authenticator,
          authorizer,
          AuthSettings.Rechecks.DEFAULTS,
          time,
          threads,
          () -> 0.5,
          AuthMetrics.NONE);

  @AfterEach
  void close() {
    timer.shutdownNow();
    threads.shutdownNow();
  }

  private void pass(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }

  private static CompiledSelection selection(int number) {
    return AccessAttributesTest.selection(CacheWriter.TYPE, List.of("n" + number), "", "");
  }

  private Caller caller(String token, String user) {
    apiserver.knows(token, user);
    try {
      return authenticator.authenticate(new Credentials.Bearer(token), "here");
    } catch (ApiException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private boolean isAllowed(Caller caller, CompiledSelection selection) throws Exception {
    return authorizer
        .denied(
            caller.identity(),
            AccessAttributes.of(
                selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH)))
        .isEmpty();
  }

  @Tag("slow")
  @Test
  void hangingApiserver_doesNotDelayTimerDecisions() {
    grants.start(timer);
    List<RecordingGrantListener> streams = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      streams.add(new RecordingGrantListener());
      grants.register(caller("t" + i, "u"), selection(i), streams.get(i));
    }
    String token = Callers.expiring(BEGIN.plus(EVERY).plusSeconds(20));
    RecordingGrantListener expiring = new RecordingGrantListener();
    grants.register(caller(token, "u"), selection(0), expiring);
    CountDownLatch answer = apiserver.hold();
    pass(EVERY);
    await().atMost(LIMIT).until(() -> apiserver.asking() == 12);

    pass(Duration.ofSeconds(10));
    await().atMost(LIMIT).until(() -> expiring.reauthenticated() == 1);
    pass(Duration.ofSeconds(10));
    await().atMost(LIMIT).until(expiring::isRevoked);
    assertThat(expiring.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED);

    pass(GRACE.minusSeconds(1));
    assertThat(streams).noneMatch(RecordingGrantListener::isRevoked);
    pass(Duration.ofSeconds(11)); // with the addition for the wait in the queue
    await().atMost(LIMIT).until(() -> streams.stream().allMatch(RecordingGrantListener::isRevoked));
    assertThat(streams)
        .allMatch(stream -> stream.reason() == ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE);
    answer.countDown();
  }

  @Tag("slow")
  @Test
  void concurrentReviews_areLimitedInTotalAndByUser() {
    grants.start(timer);
    for (int i = 0; i < 100; i++) {
      String user = i < 90 ? "u" : "other";
      grants.register(caller("t" + i, user), selection(i), new RecordingGrantListener());
    }
    int before = apiserver.tokens().size();
    CountDownLatch answer = apiserver.hold();
    pass(EVERY);
    await().atMost(LIMIT).until(() -> apiserver.asking() == 16);
    answer.countDown();
    await().atMost(LIMIT).until(() -> apiserver.tokens().size() == before + 100);

    await().atMost(LIMIT).until(() -> apiserver.accesses().size() == 200);
  }

  /** Callers are admitted by cached answers, although the same questions are being asked again. */
  @Tag("slow")
  @Test
  void whileRechecksHang_cachedCallersAreAdmitted() throws Exception {
    grants.start(timer);
    pass(EVERY);
    Caller caller = caller("t", "u");
    assertThat(isAllowed(caller, selection(1))).isTrue();
    grants.register(caller, selection(1), new RecordingGrantListener());
    CountDownLatch answer = apiserver.hold();
    pass(Duration.ofSeconds(30)); // the cached answers are still valid
    Future<?> recheck =
        threads.submit(
            () ->
                authorizer.deniedSince(
                    time.nanoTime(),
                    caller.identity(),
                    AccessAttributes.of(
                        selection(1),
                        List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH))));
    Future<?> token = threads.submit(() -> authenticator.reauthenticate(caller, time.nanoTime()));
    await().atMost(LIMIT).until(() -> apiserver.asking() == 3);

    Future<Boolean> comes =
        threads.submit(
            () ->
                authenticator.authenticate(new Credentials.Bearer("t"), "here").user().equals("u")
                    && isAllowed(caller, selection(1)));
    assertThat(comes.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(
            authorizer.cachedVerdict(
                caller.identity(),
                AccessAttributes.of(selection(1), List.of(AccessAttributes.Verb.LIST))))
        .isPresent();
    answer.countDown();
    assertThat(recheck.get()).isEqualTo(Optional.empty());
    assertThat(token.get()).isEqualTo(caller);
  }

  @Test
  void failingListener_doesNotDelayOthers() {
    grants.start(timer);
    Caller caller = caller("t", "u");
    List<RecordingGrantListener> streams = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      streams.add(new RecordingGrantListener());
      grants.register(caller, selection(i % 2), streams.get(i));
      grants.register(
          caller,
          selection(i % 2),
          new GrantListener() {
            @Override
            public void reauthenticate() {}

            @Override
            public void revoke(ApiError refusal) {
              throw new IllegalStateException("its loop has ended");
            }
          });
    }
    apiserver.allows((identity, access) -> false);
    grants.onRolesChanged(AffectedSubjects.ALL);

    await().atMost(LIMIT).until(() -> streams.stream().allMatch(RecordingGrantListener::isRevoked));
  }

  /** Streams open, close and are re-checked while a right is given and taken away. */
  @Tag("slow")
  @Test
  void revokedRight_endsEveryOpenStream() throws Exception {
    long seed = System.nanoTime();
    AtomicBoolean allowed = new AtomicBoolean(true);
    AtomicBoolean over = new AtomicBoolean();
    apiserver.allows((identity, access) -> allowed.get());
    Caller caller = caller("t", "u");
    List<Callable<List<RecordingGrantListener>>> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      clients.add(() -> comeAndGo(caller, random, over));
    }
    List<Future<List<RecordingGrantListener>>> running =
        clients.stream().map(threads::submit).toList();
    grants.start(timer);
    for (int i = 0; i < 30; i++) {
      allowed.set(i % 2 == 0);
      int asked = apiserver.accesses().size();
      grants.onRolesChanged(AffectedSubjects.ALL);
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                pass(Duration.ofMillis(100)); // ticks are half a second apart
                return apiserver.accesses().size() > asked;
              });
    }
    allowed.set(false);
    over.set(true);
    List<RecordingGrantListener> open = new ArrayList<>();
    for (Future<List<RecordingGrantListener>> client : running) {
      open.addAll(client.get());
    }
    pass(Duration.ofSeconds(1));
    grants.onRolesChanged(AffectedSubjects.ALL);

    assertThat(open).as("seed %d", seed).isNotEmpty();
    await("seed " + seed)
        .atMost(LIMIT)
        .until(() -> open.stream().allMatch(RecordingGrantListener::isRevoked));
  }

  /** Returns the streams that are left open. */
  private List<RecordingGrantListener> comeAndGo(Caller caller, Random random, AtomicBoolean over)
      throws Exception {
    List<RecordingGrantListener> left = new ArrayList<>();
    List<GrantRechecker.GrantHandle> shares = new ArrayList<>();
    while (!over.get() || left.isEmpty()) {
      RecordingGrantListener listener = new RecordingGrantListener();
      CompiledSelection selection = selection(random.nextInt(2));
      GrantRechecker.GrantHandle held = grants.register(caller, selection, listener);
      if (over.get() || (isAllowed(caller, selection) && random.nextInt(10) == 0)) {
        left.add(listener);
        shares.add(held);
      } else {
        held.close();
      }
      if (shares.size() > 50) {
        int one = random.nextInt(shares.size());
        shares.remove(one).close();
        left.remove(one);
      }
    }
    return left;
  }

  @Test
  void handlesClosedByManyThreads_leaveNoGrant() throws Exception {
    Caller caller = caller("t", "u");
    List<Callable<Void>> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(
          () -> {
            for (int round = 0; round < 20_000; round++) {
              grants.register(caller, selection(round % 2), new RecordingGrantListener()).close();
            }
            return null;
          });
    }
    for (Future<Void> client : threads.invokeAll(clients)) {
      client.get();
    }

    assertThat(grants.grantCount()).isZero();
  }
}
