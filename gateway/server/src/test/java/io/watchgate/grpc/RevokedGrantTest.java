package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static io.watchgate.grpc.ServerFixture.withToken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.watchgate.auth.AccessController;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Callers;
import io.watchgate.auth.Credentials;
import io.watchgate.auth.GrantListener;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a stream ends when its permission is revoked, and gets no later changes. */
@Tag("slow")
final class RevokedGrantTest {
  private static final String TOKEN = "t0ken-which-n0body-may-read";
  private static final String GONE = "PERMISSION_DENIED ACCESS_CHANGED STOP";
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int OBJECTS = 200;
  private static final int PADDING = 20_000;

  /** Re-checks often, so that no test waits for long. */
  private static final AuthSettings OFTEN =
      new AuthSettings(
          Callers.TOKENS,
          AuthSettings.Authorization.KUBERNETES,
          new AuthSettings.Rechecks(Duration.ofMillis(200), Duration.ofMinutes(1)),
          AuthSettings.Quotas.DEFAULTS);

  /** Expiry of tokens that expire, in whole seconds, as tokens name it. */
  private final Instant expiry = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.SECONDS);

  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final ServerFixture fixture =
      ServerFixture.withAccessControl(
          OFTEN,
          apiserver,
          IntStream.range(0, OBJECTS)
              .mapToObj(i -> SampleObject.of("ns", "o" + i, 50).padding(PADDING))
              .toArray(SampleObject[]::new));

  @AfterEach
  void close() {
    fixture.close();
  }

  private Channel jane() {
    apiserver.knows(TOKEN, "jane");
    return withToken(fixture.connect(), TOKEN);
  }

  private void revokeAccess() {
    apiserver.allows((identity, access) -> false);
  }

  private void awaitNothingIsLeft() {
    await()
        .until(
            () ->
                fixture.places.usedSlots() == 0
                    && fixture.gatekeeper.grantCount() == 0
                    && fixture.gatekeeper.maxStreamsOfOneUser() == 0);
  }

  private static int version(ListAndWatchResponse response) {
    return response.getEventsList().stream()
        .mapToInt(event -> Integer.parseInt(event.getResourceVersion()))
        .max()
        .orElse(0);
  }

  /**
   * Listener of the same grant as a stream, notified after the stream. A grant notifies its
   * listeners in the order of their hashes, and this one is the last of these few.
   */
  private static final class LastToHear implements GrantListener {
    private final CompletableFuture<Integer> heard = new CompletableFuture<>();
    private final CompletableFuture<Void> reauthenticates = new CompletableFuture<>();
    private final AtomicInteger written;

    LastToHear(AtomicInteger written) {
      this.written = written;
    }

    @Override
    public void reauthenticate() {
      reauthenticates.complete(null);
    }

    @Override
    public void revoke(ApiError refusal) {
      heard.complete(written.get());
    }

    @Override
    public int hashCode() {
      return 15;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  /** Joins the grant of the streams that select everything with this token. */
  private AccessController.Admitted joined(String token, GrantListener listener) throws Exception {
    Caller caller = fixture.gatekeeper.authenticate(new Credentials.Bearer(token), "here");
    return fixture.gatekeeper.admit(
        caller,
        CompiledSelection.of(SelectableFields.of(CacheWriter.DEFINITION), List.of(), "", ""),
        ObjectProjection.FULL,
        listener);
  }

  /** Returns a token that is valid until {@link #expiry}. */
  private String validToken() {
    String token = Callers.expiring(expiry);
    apiserver.knows(token, "jane");
    return token;
  }

  @RepeatedTest(3)
  void revokedStream_getsNoLaterChanges() throws Exception {
    RawStream stream = RawStream.open(jane(), CONFIG_MAPS);
    await().until(stream::isSynced);
    AtomicInteger written = new AtomicInteger(100);
    LastToHear last = new LastToHear(written);
    try (AccessController.Admitted _ = joined(TOKEN, last)) {
      assertThat(fixture.gatekeeper.grantCount()).isEqualTo(1);
      AtomicBoolean over = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!over.get()) {
                      fixture.cluster.put(SampleObject.of("ns", "o1", written.incrementAndGet()));
                      LockSupport.parkNanos(20_000); // routing lag is not bounded here
                    }
                  });
      await().until(() -> version(stream.responses().getLast()) > 200);

      revokeAccess();
      stream.assertEnds(GONE);

      over.set(true);
      writer.join();
      int revokedAt = last.heard.get();
      assertThat(stream.responses())
          .allSatisfy(response -> assertThat(version(response)).isLessThanOrEqualTo(revokedAt));
      assertThat(stream.responses()).noneMatch(ListAndWatchResponse::hasGoingAway);
    }
    awaitNothingIsLeft();
  }

  @Test
  void revoked_duringSnapshot_getsNoSnapshotEnd() {
    RawStream stream = RawStream.begin(jane(), RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.halfClose();
    stream.demand(3);
    await().until(() -> stream.responses().size() == 3);
    AtomicBoolean asked = new AtomicBoolean();
    apiserver.allows(
        (identity, access) -> {
          asked.set(true);
          return false;
        });
    await().until(asked::get);
    await().until(() -> fixture.audited.stream().anyMatch(line -> line.contains("\"ended\"")));

    stream.demand(Integer.MAX_VALUE);

    stream.assertEnds(GONE);
    assertThat(stream.isSynced()).isFalse();
    assertThat(stream.responses().stream().mapToInt(ListAndWatchResponse::getEventsCount).sum())
        .as("what the transport had is all that is sent")
        .isLessThan(OBJECTS);
    awaitNothingIsLeft();
  }

  @Test
  void revoked_withoutReading_releasesItsSlots() {
    RawStream stream = RawStream.begin(jane(), RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.halfClose();
    stream.demand(1);
    await().until(() -> stream.responses().size() == 1);
    for (int version = 101; version < 400; version++) {
      fixture.cluster.put(SampleObject.of("ns", "o1", version).padding(PADDING));
    }
    revokeAccess();
    await().until(() -> fixture.audited.stream().anyMatch(line -> line.contains("\"ended\"")));
    await("nothing is kept for it").until(() -> !fixture.isTypeOpen()); // audited before released

    stream.cancel();

    awaitNothingIsLeft();
  }

  @Test
  void revoked_beforeOpening_getsNothing() {
    CountDownLatch opening = fixture.cluster.blockOpening();
    RawStream stream = RawStream.open(jane(), CONFIG_MAPS);
    await().until(fixture.cluster::isOpening);
    revokeAccess();
    await().until(() -> fixture.tally.rechecks(AuthMetrics.Answer.NO) == 1);
    apiserver.allows((identity, access) -> true); // too late: the stream was already notified

    opening.countDown();

    stream.assertEnds(GONE);
    assertThat(stream.responses()).isEmpty();
    awaitNothingIsLeft();
  }

  @Test
  void tokenBeforeExpiry_streamGetsGoingAway() {
    RawStream stream = RawStream.open(withToken(fixture.connect(), validToken()), CONFIG_MAPS);
    await().until(stream::isSynced);

    fixture.stopClock(expiry.minusSeconds(8)); // and there it stays, before the expiry

    stream.assertEnds("UNAUTHENTICATED CREDENTIALS_EXPIRED RESUME");

    assertThat(stream.isSynced()).isTrue();
    ListAndWatchResponse last = stream.responses().getLast();
    assertThat(last.getGoingAway().getReason())
        .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_REAUTHENTICATE);
    assertThat(last.getResumeToken().isEmpty()).isFalse();
    RawStream resumed =
        RawStream.open(
            jane(), CONFIG_MAPS.toBuilder().setResumeToken(last.getResumeToken()).build());
    await().until(() -> resumed.responses().stream().anyMatch(ListAndWatchResponse::hasResumed));
  }

  /**
   * The stream must be notified even if it had to reauthenticate while the apiserver was asked for
   * the type.
   */
  @Test
  void reauthenticate_beforeOpening_isSentAfterOpening() throws Exception {
    String token = validToken();
    CountDownLatch opening = fixture.cluster.blockOpening();
    RawStream stream = RawStream.open(withToken(fixture.connect(), token), CONFIG_MAPS);
    await().until(fixture.cluster::isOpening);
    LastToHear last = new LastToHear(new AtomicInteger());
    try (AccessController.Admitted _ = joined(token, last)) {
      assertThat(fixture.gatekeeper.grantCount()).isEqualTo(1);
      fixture.stopClock(expiry.minusSeconds(8)); // and there it stays, before the expiry
      await().until(last.reauthenticates::isDone);
    }

    opening.countDown();

    stream.assertEnds("UNAUTHENTICATED CREDENTIALS_EXPIRED RESUME");
    assertThat(stream.responses().getLast().getGoingAway().getReason())
        .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_REAUTHENTICATE);
  }

  @Test
  void tokenExpired_withoutGoingAway_endsTheStream() {
    RawStream stream =
        RawStream.begin(withToken(fixture.connect(), validToken()), RawStream.LIST_AND_WATCH);
    stream.ask(CONFIG_MAPS.toByteArray());
    stream.halfClose();
    stream.demand(2);
    await().until(() -> stream.responses().size() == 2);
    fixture.stopClock(expiry.minusSeconds(8));
    fixture.stopClock(expiry);
    await().until(() -> fixture.audited.stream().anyMatch(line -> line.contains("\"ended\"")));

    stream.demand(Integer.MAX_VALUE);

    stream.assertEnds("UNAUTHENTICATED CREDENTIALS_EXPIRED RESUME");
    assertThat(stream.isSynced()).isFalse();
  }
}
