package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.VirtualTime;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of open streams that end with their rights, in virtual time. */
final class GrantRecheckerTest {
  private static final String TOKEN = "t0ken-which-n0body-may-read";
  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration EVERY = AuthSettings.Rechecks.DEFAULTS.interval();
  private static final Duration GRACE = AuthSettings.Rechecks.DEFAULTS.grace();
  private static final CompiledSelection ALL = selection();

  private final VirtualTime time = new VirtualTime();
  private final ScriptedReviewers apiserver = new ScriptedReviewers();
  private final AuthTally tally = new AuthTally();
  private final Authenticator authenticator =
      new Authenticator(
          Callers.ALL,
          StaticTokens.empty(),
          audiences ->
              new TokenReviewCache(
                  apiserver, apiserver, audiences, time.source(), Runnable::run, tally),
          chain -> true,
          time.source());
  private final Authorizer authorizer =
      new Authorizer(
          AuthSettings.Authorization.KUBERNETES,
          apiserver,
          apiserver,
          time.source(),
          Runnable::run,
          tally);
  private double chance = 0.5;
  private GrantRechecker grants = grants(AuthSettings.Rechecks.DEFAULTS);

  private GrantRechecker grants(AuthSettings.Rechecks rechecks) {
    GrantRechecker made =
        new GrantRechecker(
            authenticator, authorizer, rechecks, time.source(), Runnable::run, () -> chance, tally);
    made.start(time);
    return made;
  }

  private static CompiledSelection selection(String... namespaces) {
    return AccessAttributesTest.selection(CacheWriter.TYPE, List.of(namespaces), "", "");
  }

  private Instant in(Duration duration) {
    return time.source().now().plus(duration);
  }

  private Caller jane() {
    apiserver.knows(TOKEN, "jane");
    return identified(new Credentials.Bearer(TOKEN));
  }

  private Caller identified(Credentials credentials) {
    try {
      return authenticator.authenticate(credentials, "here");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Opens a stream in the order of {@link AccessController}: the grant is held first, and checked
   * then.
   */
  private RecordingGrantListener open(Caller caller, CompiledSelection selection) {
    RecordingGrantListener listener = new RecordingGrantListener();
    held(caller, selection, listener);
    return listener;
  }

  private GrantRechecker.GrantHandle held(
      Caller caller, CompiledSelection selection, RecordingGrantListener listener) {
    GrantRechecker.GrantHandle held = grants.register(caller, selection, listener);
    assertThat(denied(caller, selection)).isEmpty();
    return held;
  }

  private Optional<AccessAttributes> denied(Caller caller, CompiledSelection selection) {
    try {
      return authorizer.denied(
          caller.identity(),
          AccessAttributes.of(
              selection, List.of(AccessAttributes.Verb.LIST, AccessAttributes.Verb.WATCH)));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void allowNothing() {
    apiserver.allows((identity, access) -> false);
  }

  // ---- states for operators

  private List<GrantState> states() {
    List<GrantState> states = new ArrayList<>();
    grants.forEachState(states::add);
    return states;
  }

  @Test
  void state_followsTheAnswers() {
    RecordingGrantListener listener = new RecordingGrantListener();
    Caller jane = jane();
    GrantRechecker.GrantHandle held = grants.register(jane, ALL, listener);
    assertThat(states().getFirst().answer()).isEqualTo(GrantState.Answer.PENDING);
    held.onAllowed();
    open(jane, ALL);

    GrantState opened = states().getFirst();
    assertThat(opened)
        .isEqualTo(
            new GrantState(
                "jane",
                "token",
                ALL,
                /* streams= */ 2,
                GrantState.Answer.ALLOWED,
                in(Duration.ZERO),
                null,
                in(EVERY),
                null));
    assertThat(opened.toString()).doesNotContain(TOKEN);

    time.advance(EVERY.plus(TICK));
    GrantState rechecked = states().getFirst();
    assertThat(rechecked.answer()).isEqualTo(GrantState.Answer.ALLOWED);
    assertThat(rechecked.askedAt()).isEqualTo(opened.nextCheck());
    assertThat(rechecked.nextCheck()).isEqualTo(opened.nextCheck().plus(EVERY));

    apiserver.isSilent(true);
    time.advance(EVERY);
    GrantState silent = states().getFirst();
    assertThat(silent.answer()).isEqualTo(GrantState.Answer.UNANSWERED);
    assertThat(silent.unansweredSince()).isEqualTo(rechecked.nextCheck());
    assertThat(silent.nextCheck()).isBefore(in(Duration.ofSeconds(6)));

    apiserver.isSilent(false);
    allowNothing();
    time.advance(Duration.ofSeconds(6));
    assertThat(listener.isRevoked()).isTrue();
    assertThat(states().getFirst().answer()).isEqualTo(GrantState.Answer.REVOKED);
    held.close();
    assertThat(states()).singleElement().satisfies(it -> assertThat(it.streams()).isEqualTo(1));
  }

  @Test
  void state_hasTheExpiryOfTheToken() {
    Instant expiry = in(Duration.ofHours(1));
    String token = Callers.expiring(expiry);
    apiserver.knows(token, "jane");
    open(identified(new Credentials.Bearer(token)), ALL);

    assertThat(states()).singleElement().satisfies(it -> assertThat(it.expiry()).isEqualTo(expiry));
  }

  // ---- rights

  @ParameterizedTest
  @CsvSource({"0, 270", "0.5, 300", "1, 330"})
  void revokedRight_isNoticedAtNextRecheckWithJitter(double random, int seconds) {
    chance = random;
    RecordingGrantListener stream = open(jane(), ALL);
    allowNothing();

    time.advance(Duration.ofSeconds(seconds).minusMillis(1));
    assertThat(stream.isRevoked()).isFalse();
    time.advance(TICK);

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_ACCESS_CHANGED);
    assertThat(stream.refusal().message())
        .isEqualTo(
            "the user \"jane\" may not list configmaps in the whole cluster any more. Watch again"
                + " once the right is given back.");
    assertThat(tally.rechecks(AuthMetrics.Answer.NO)).isEqualTo(1);
  }

  @Test
  void rechecks_repeatAndBypassTheCache() {
    RecordingGrantListener stream = open(jane(), ALL);
    int asked = apiserver.accesses().size();
    time.advance(EVERY.multipliedBy(3).plus(TICK));

    assertThat(tally.rechecks(AuthMetrics.Answer.YES)).isEqualTo(3);
    assertThat(apiserver.accesses()).hasSize(asked + 3 * 2);
    assertThat(apiserver.tokens()).hasSize(1 + 3);
    // Another caller is authorized shortly before, so that all answers are cached.
    time.advance(EVERY.minusSeconds(2));
    authorizer.invalidate(AffectedSubjects.ALL);
    denied(jane(), ALL);
    allowNothing();
    time.advance(Duration.ofSeconds(3));
    assertThat(stream.isRevoked()).isTrue();
  }

  @Test
  void grantOfManyStreams_isReviewedOnce() {
    Caller jane = jane();
    List<RecordingGrantListener> streams = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      streams.add(open(jane, ALL));
    }
    assertThat(grants.grantCount()).isEqualTo(1);
    int asked = apiserver.accesses().size();
    time.advance(EVERY.plus(TICK));
    assertThat(apiserver.accesses()).hasSize(asked + 2);
    assertThat(apiserver.tokens()).hasSize(2);

    allowNothing();
    time.advance(EVERY.plus(TICK));
    assertThat(streams).allMatch(RecordingGrantListener::isRevoked);
  }

  @Test
  void deniedSelection_endsAlone() {
    Caller jane = jane();
    RecordingGrantListener a = open(jane, selection("a"));
    RecordingGrantListener b = open(jane, selection("b"));
    RecordingGrantListener both = open(jane, selection("a", "b"));
    apiserver.allows(
        (identity, access) -> ((AccessAttributes.ResourceAccess) access).namespace().equals("a"));
    time.advance(EVERY.plus(TICK));

    assertThat(a.isRevoked()).isFalse();
    assertThat(b.isRevoked()).isTrue();
    assertThat(both.isRevoked()).isTrue();
  }

  @Test
  void closedStream_isNeitherReviewedNorNotified() {
    RecordingGrantListener stays = new RecordingGrantListener();
    RecordingGrantListener leaves = new RecordingGrantListener();
    Caller jane = jane();
    GrantRechecker.GrantHandle staying = held(jane, ALL, stays);
    GrantRechecker.GrantHandle leaving = held(jane, ALL, leaves);
    leaving.close();
    leaving.close();
    allowNothing();
    time.advance(EVERY.plus(TICK));
    assertThat(leaves.isRevoked()).isFalse();
    assertThat(stays.isRevoked()).isTrue();
    staying.close();
    assertThat(grants.grantCount()).isZero();
    int asked = apiserver.accesses().size();

    time.advance(EVERY.multipliedBy(2));

    assertThat(apiserver.accesses()).hasSize(asked);
  }

  /** A second close of an old handle must not end the share of a later stream. */
  @Test
  void oldHandleClosedTwice_keepsTheNewGrant() {
    Caller jane = jane();
    RecordingGrantListener stream = new RecordingGrantListener();
    GrantRechecker.GrantHandle old = held(jane, ALL, stream);
    old.close();
    held(jane, ALL, stream);
    old.close();

    assertThat(grants.grantCount()).isEqualTo(1);
    allowNothing();
    time.advance(EVERY.plus(TICK));
    assertThat(stream.isRevoked()).isTrue();
  }

  // ---- changes of roles

  @Test
  void roleChange_rechecksAtOnceAndLater() {
    RecordingGrantListener stream = open(jane(), ALL);
    time.advance(Duration.ofSeconds(1));
    int asked = apiserver.accesses().size();

    grants.onRolesChanged(AffectedSubjects.ALL);
    assertThat(apiserver.accesses()).as("at once").hasSize(asked + 2);
    time.advance(Duration.ofMillis(1_900));
    assertThat(apiserver.accesses()).hasSize(asked + 2);
    time.advance(Duration.ofSeconds(1));
    assertThat(apiserver.accesses()).as("after 2 s").hasSize(asked + 4);
    time.advance(Duration.ofSeconds(7));
    assertThat(apiserver.accesses()).hasSize(asked + 4);
    time.advance(Duration.ofSeconds(1));
    assertThat(apiserver.accesses()).as("after 10 s").hasSize(asked + 6);
    time.advance(Duration.ofMinutes(1));
    assertThat(apiserver.accesses()).hasSize(asked + 6);
    assertThat(stream.isRevoked()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1_900, 9_900})
  void lateRevocationAfterRoleChange_isNoticedWithinTenSeconds(int millis) {
    RecordingGrantListener stream = open(jane(), ALL);
    time.advance(Duration.ofSeconds(1));
    grants.onRolesChanged(AffectedSubjects.ALL);
    time.advance(Duration.ofMillis(millis));
    allowNothing();
    time.advance(Duration.ofSeconds(11).minusMillis(millis));

    assertThat(stream.isRevoked()).isTrue();
  }

  @Test
  void streamOpenedAfterRoleChange_isReviewed() {
    Caller jane = jane();
    denied(jane, ALL);
    allowNothing();
    assertThat(denied(jane, ALL)).as("remembered").isEmpty();

    grants.onRolesChanged(AffectedSubjects.ALL);

    assertThat(denied(jane, ALL)).isPresent();
  }

  @Test
  void thousandRoleChangesPerSecond_areFewRechecks() {
    open(jane(), ALL);
    time.advance(Duration.ofSeconds(1));
    int asked = apiserver.accesses().size();
    for (int i = 0; i < 1_000; i++) {
      grants.onRolesChanged(AffectedSubjects.ALL);
      time.advance(Duration.ofMillis(1));
    }
    assertThat((apiserver.accesses().size() - asked) / 2).isBetween(2, 3);
    time.advance(Duration.ofSeconds(20));

    assertThat((apiserver.accesses().size() - asked) / 2).isBetween(4, 10);
  }

  /** The grant is held before it is checked, so that no change is missed. */
  @Test
  void grantOpenedDuringRoleChange_isRechecked() {
    Caller jane = jane();
    RecordingGrantListener stream = new RecordingGrantListener();
    grants.register(jane, ALL, stream);
    assertThat(denied(jane, ALL)).isEmpty();
    allowNothing();
    grants.onRolesChanged(AffectedSubjects.ALL);

    assertThat(stream.isRevoked()).isTrue();
  }

  // ---- the apiserver is away

  @Test
  void unavailableApiserver_endsStreamsAfterGrace() {
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.isSilent(true);
    time.advance(EVERY.plus(GRACE).minusSeconds(1));
    assertThat(stream.isRevoked()).isFalse();

    time.advance(Duration.ofSeconds(7));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE);
    assertThat(stream.refusal().retryAfter()).isPositive();
    assertThat(stream.refusal().message()).contains("the script says nothing of");
  }

  @Test
  void answer_restartsTheGracePeriod() {
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.isSilent(true);
    time.advance(EVERY.plus(GRACE).minusSeconds(10));
    apiserver.isSilent(false);
    time.advance(Duration.ofSeconds(6));
    apiserver.isSilent(true);
    time.advance(EVERY.plus(GRACE).minusSeconds(10));
    assertThat(stream.isRevoked()).isFalse();

    time.advance(Duration.ofSeconds(20));
    assertThat(stream.isRevoked()).isTrue();
  }

  @Test
  void availableApiserver_denialEndsStreamWithinSeconds() {
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.isSilent(true);
    time.advance(EVERY.plusSeconds(60));
    apiserver.isSilent(false);
    allowNothing();
    time.advance(Duration.ofSeconds(6));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_ACCESS_CHANGED);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 60})
  void grace_isAsConfigured(int seconds) {
    Duration grace = Duration.ofSeconds(seconds);
    grants = grants(new AuthSettings.Rechecks(EVERY, grace));
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.isSilent(true);
    time.advance(EVERY.plus(grace).minusMillis(1));
    assertThat(stream.isRevoked()).isFalse();

    time.advance(TICK.multipliedBy(2));
    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE);
  }

  // ---- credentials

  @Test
  void expiringToken_requestsNewerOneThenEndsStream() {
    String token = Callers.expiring(in(Duration.ofMinutes(2)));
    apiserver.knows(token, "jane");
    RecordingGrantListener stream = open(identified(new Credentials.Bearer(token)), ALL);
    time.advance(Duration.ofSeconds(110).minusMillis(1));
    assertThat(stream.reauthenticated()).isZero();
    time.advance(TICK);
    assertThat(stream.reauthenticated()).isEqualTo(1);
    time.advance(Duration.ofMillis(9_500));
    assertThat(stream.reauthenticated()).as("once").isEqualTo(1);
    assertThat(stream.isRevoked()).isFalse();
    time.advance(Duration.ofMillis(500));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED);
  }

  @Test
  void failingListener_stopsNoOther() {
    String token = Callers.expiring(in(Duration.ofMinutes(2)));
    apiserver.knows(token, "jane");
    Caller jane = identified(new Credentials.Bearer(token));
    GrantListener failing =
        new GrantListener() {
          @Override
          public void reauthenticate() {
            throw new IllegalStateException("broken");
          }

          @Override
          public void revoke(ApiError refusal) {
            throw new IllegalStateException("broken");
          }
        };
    List<RecordingGrantListener> streams = new ArrayList<>();
    for (int i = 0; i < 4; i++) { // they are notified in any order
      streams.add(open(jane, ALL));
      grants.register(jane, ALL, failing);
    }

    time.advance(Duration.ofSeconds(110).plus(TICK));
    assertThat(streams).allMatch(stream -> stream.reauthenticated() == 1);
    time.advance(Duration.ofSeconds(10));
    assertThat(streams).allMatch(RecordingGrantListener::isRevoked);
  }

  /** A stream that is notified at once, and has no newer token, would reconnect in a loop. */
  @Test
  void shortLivedToken_isUsableForHalfItsTime() {
    String token = Callers.expiring(in(Duration.ofSeconds(8)));
    apiserver.knows(token, "jane");
    RecordingGrantListener stream = open(identified(new Credentials.Bearer(token)), ALL);
    time.advance(Duration.ofMillis(3_999));
    assertThat(stream.reauthenticated()).isZero();
    time.advance(TICK);
    assertThat(stream.reauthenticated()).isEqualTo(1);

    RecordingGrantListener later = open(identified(new Credentials.Bearer(token)), ALL);
    time.advance(Duration.ofMillis(1_500));
    assertThat(later.reauthenticated()).isZero();
    RecordingGrantListener last = open(identified(new Credentials.Bearer(token)), ALL);
    time.advance(Duration.ofMillis(500).plus(TICK));
    assertThat(later.reauthenticated()).isEqualTo(1);
    assertThat(last.reauthenticated()).isEqualTo(1);
    assertThat(stream.reauthenticated()).isEqualTo(1);
    time.advance(Duration.ofSeconds(2));

    assertThat(List.of(stream, later, last)).allMatch(RecordingGrantListener::isRevoked);
  }

  @Test
  void expiredCertificate_endsItsStreams() {
    Credentials certificate = new ShownCertificate("CN=u", in(Duration.ofMinutes(1))).credentials();
    RecordingGrantListener stream = open(identified(certificate), ALL);
    time.advance(Duration.ofMinutes(1).plus(TICK));

    assertThat(stream.reauthenticated()).isEqualTo(1);
    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED);
  }

  @Test
  void revokedToken_endsStreamsAtNextRecheck() {
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.forgets(TOKEN);
    time.advance(EVERY.plus(TICK));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID);
    assertThat(stream.refusal().message()).doesNotContain(TOKEN);
  }

  @Test
  void twoTokensOfOneUser_areTwoGrants() {
    RecordingGrantListener first = open(jane(), ALL);
    apiserver.knows("another", "jane");
    RecordingGrantListener second = open(identified(new Credentials.Bearer("another")), ALL);
    assertThat(grants.grantCount()).isEqualTo(2);
    apiserver.forgets("another");
    time.advance(EVERY.plus(TICK));

    assertThat(first.isRevoked()).isFalse();
    assertThat(second.isRevoked()).isTrue();
  }

  @Test
  void tokenWithNewUser_isReviewedForThatUser() {
    RecordingGrantListener stream = open(jane(), ALL);
    apiserver.allows((identity, access) -> identity.user().equals("jane"));
    apiserver.knows(TOKEN, "joe");
    time.advance(EVERY.plus(TICK));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_ACCESS_CHANGED);
    assertThat(stream.refusal().message()).contains("\"joe\"");
  }

  @Test
  void groupsLostByToken_areLostByStreams() {
    apiserver.knows(TOKEN, UserInfo.authenticated("jane", "", List.of("devs")));
    apiserver.allows((identity, access) -> identity.groups().contains("devs"));
    RecordingGrantListener stream = open(identified(new Credentials.Bearer(TOKEN)), ALL);
    apiserver.knows(TOKEN, UserInfo.authenticated("jane", "", List.of()));
    time.advance(EVERY.plus(TICK));

    assertThat(stream.reason()).isEqualTo(ErrorReason.ERROR_REASON_ACCESS_CHANGED);
  }
}
