package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that open streams end soon after the right to them is revoked, while the apiserver's own
 * watches continue.
 */
@WithSharedApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class RevokedAccessTest {
  private static final String CHANGED = "PERMISSION_DENIED ACCESS_CHANGED STOP";

  /**
   * Time limit for the end of streams; the apiserver's authorizer itself receives changes with a
   * delay.
   */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final Duration RECHECK = Duration.ofSeconds(2);

  /** Limit for invalid tokens: the apiserver caches valid tokens for about ten seconds. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(15);

  @TempDir private static Path folder;

  private Apiserver apiserver;
  private Guests guests;

  /** Gateway that watches roles and bindings, and otherwise re-checks only every five minutes. */
  private Door watching;

  /** Gateway that may not read roles and bindings, and re-checks often. */
  private Door checking;

  @BeforeAll
  void open(Apiserver shared) {
    apiserver = shared;
    guests = new Guests(shared);
    List<Type> types = List.of(Type.CONFIGMAPS);
    watching =
        Door.open(
            Servant.create(shared, folder, "revoked-watching", types, Servant.REVIEWS_AND_ROLES),
            "--token-review");
    checking =
        Door.open(
            Servant.create(shared, folder, "revoked-checking", types, Servant.REVIEWS),
            "--token-review",
            "--recheck-every",
            Long.toString(RECHECK.toSeconds()));
  }

  @AfterAll
  void close() {
    for (Door door : new Door[] {watching, checking}) {
      if (door != null) {
        door.close();
      }
    }
  }

  private Subscriber subscribe(Door door, Guests.Guest guest, String namespace) {
    return Subscriber.open(
            door.with(guests.accounts().gatewayToken(guest.account())), request(namespace))
        .begun();
  }

  private static ListAndWatchRequest request(String namespace) {
    return Requests.watch("configmaps", namespace).build();
  }

  private static Duration timeToEnd(Subscriber subscriber) {
    Instant from = Instant.now();
    await().atMost(Subscriber.LIMIT).pollInterval(Duration.ofMillis(5)).until(subscriber::isOver);
    return Duration.between(from, Instant.now());
  }

  /** Checks that the subscriber still receives new writes. */
  private static void assertGoesOn(Subscriber subscriber, Ticker ticker) {
    int now = ticker.value();
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> subscriber.fold().values(ticker.key()).contains(now + 10));
    assertThat(subscriber.isOver()).isFalse();
    assertThat(subscriber.fold().violations()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void deletedBinding_endsOnlyItsStreams(Guests.By by) {
    String namespace = guests.namespace("revoked");
    Guests.Guest guest = guests.invite(namespace, by);
    Guests.Guest other = guests.invite(namespace);
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, guest, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      assertGoesOn(his, ticker);

      guests.rights().revoke(guest.grant());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after a " + by + " was unbound");
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(SOON);
      assertGoesOn(others, ticker);
    }
  }

  @ParameterizedTest
  @EnumSource
  void reducedRole_endsItsStreams(Guests.By by) {
    String namespace = guests.namespace("lessened");
    Guests.Guest guest = guests.invite(namespace, by);
    Guests.Guest other = guests.invite(namespace);
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, guest, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      // Of the two rights that a stream needs, one is revoked.
      guests.rights().change(guest.grant(), Rule.verbs("configmaps", "list"));

      Duration after = timeToEnd(his);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(SOON);
      assertGoesOn(others, ticker);
    }
  }

  /** Kubernetes writes these names with escapes. */
  @ParameterizedTest
  @ValueSource(strings = {"r&d", "a<b>c", "say \"hi\"", "back\\slash"})
  void rightsWithOddNames_areRevokedPromptly(String name) {
    String namespace = guests.namespace("odd");
    Guests.Guest guest = guests.invite(namespace);
    Guests.Guest other = guests.invite(namespace);
    Rule rule = Rule.watching("configmaps");
    Rights.Grant odd = guests.rights().named(name, namespace, other.account().subject(), rule);
    guests.rights().revoke(other.grant());
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, guest, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      guests.rights().revoke(guest.grant());

      assertThat(timeToEnd(his)).isLessThan(SOON);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertGoesOn(others, ticker);

      guests.rights().revoke(odd);

      assertThat(timeToEnd(others)).isLessThan(SOON);
      assertThat(others.end().summary()).isEqualTo(CHANGED);
    }
    assertThat(watching.metric("watchgate_unwatched_role_types")).isZero();
    assertThat(checking.metric("watchgate_unwatched_role_types")).isEqualTo(4);
  }

  @Test
  void removedSubject_losesStreamsAndOthersKeepThem() {
    String namespace = guests.namespace("shared");
    Guests.Guest guest = guests.invite(namespace);
    Guests.Guest other = guests.invite(namespace);
    guests
        .rights()
        .changeSubjects(guest.grant(), guest.account().subject(), other.account().subject());
    guests.rights().revoke(other.grant());
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, guest, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      guests.rights().changeSubjects(guest.grant(), other.account().subject());

      assertThat(timeToEnd(his)).isLessThan(SOON);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertGoesOn(others, ticker);
    }
  }

  @Test
  void unrelatedRightsChange_endsNothing() {
    String namespace = guests.namespace("unchanged");
    Guests.Guest guest = guests.invite(namespace);
    // Two grants admit the account; one of them is revoked.
    Rights.Grant second =
        guests.rights().everywhere(guest.account().subject(), Rule.watching("configmaps"));
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, guest, namespace)) {
      guests.rights().revoke(guest.grant());
      Guests.Guest canary = guests.invite(namespace);
      try (Subscriber canarys = subscribe(watching, canary, namespace)) {
        guests.rights().revoke(canary.grant());
        canarys.end();
      }
      assertGoesOn(his, ticker);
      guests.rights().revoke(second);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
    }
  }

  @Test
  void restoredRight_isAdmittedAgain() {
    String namespace = guests.namespace("again");
    Guests.Guest guest = guests.invite(namespace);
    var channel = watching.with(guests.accounts().gatewayToken(guest.account()));
    guests.rights().revoke(guest.grant());
    await()
        .atMost(FORGOTTEN)
        .until(() -> Decision.watch(channel, request(namespace)).equals(Decision.DENIED));
    guests.rights().in(namespace, guest.account().subject(), Rule.watching("configmaps"));
    await()
        .atMost(FORGOTTEN)
        .until(() -> Decision.watch(channel, request(namespace)).equals(Decision.OPENED));
  }

  @Test
  void gatewayWithoutRoleAccess_detectsOnRecheck() {
    String namespace = guests.namespace("checked");
    Guests.Guest guest = guests.invite(namespace);
    Guests.Guest other = guests.invite(namespace);
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(checking, guest, namespace);
        Subscriber others = subscribe(checking, other, namespace)) {
      assertGoesOn(his, ticker);

      guests.rights().revoke(guest.grant());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after it was unbound, by a check");
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(RECHECK.multipliedBy(2).plus(SOON));
      assertGoesOn(others, ticker);
    }
  }

  /**
   * Changes queued for a slow reader are never sent after its right is revoked. Both streams use
   * the same token: another token would be checked separately, and its result might be known later.
   */
  @Test
  void queuedChanges_afterRevocation_areNotSent() {
    String namespace = guests.namespace("waiting");
    Guests.Guest guest = guests.invite(namespace);
    Guests.Guest other = guests.invite(namespace);
    String token = guests.accounts().gatewayToken(guest.account());
    int changes = 60;
    try (Subscriber slow = Subscriber.unhurried(watching.apart(token), request(namespace));
        Subscriber his = Subscriber.open(watching.with(token), request(namespace)).begun();
        Subscriber others = subscribe(watching, other, namespace)) {
      slow.read(3);
      await().atMost(Subscriber.LIMIT).until(() -> slow.fold().signals().contains("SYNCED"));
      createLarge(namespace, changes);
      await().atMost(Subscriber.LIMIT).until(() -> others.fold().changes().size() == changes);

      guests.rights().revoke(guest.grant());
      assertThat(his.end().summary()).isEqualTo(CHANGED);

      slow.read(10 * changes);
      assertThat(slow.end().summary()).isEqualTo(CHANGED);
      System.out.println("Of " + changes + " changes " + slow.fold().changes().size() + " came");
      assertThat(slow.fold().changes().size()).isLessThan(changes / 3);
    }
  }

  @Test
  void snapshotInProgress_afterRevocation_isNotSent() {
    String namespace = guests.namespace("halfway");
    Guests.Guest guest = guests.invite(namespace);
    String token = guests.accounts().gatewayToken(guest.account());
    int objects = 60;
    createLarge(namespace, objects);
    try (Subscriber slow = Subscriber.unhurried(watching.apart(token), request(namespace));
        Subscriber his = Subscriber.open(watching.with(token), request(namespace)).begun()) {
      slow.read(3);
      await().atMost(Subscriber.LIMIT).until(() -> slow.responses().size() == 3);

      guests.rights().revoke(guest.grant());
      assertThat(his.end().summary()).isEqualTo(CHANGED);

      slow.read(10 * objects);
      assertThat(slow.end().summary()).isEqualTo(CHANGED);
      long came = slow.responses().stream().mapToLong(one -> one.getEventsCount()).sum();
      System.out.println("Of a snapshot of " + objects + " objects " + came + " came");
      assertThat(came).isLessThan(objects / 3);
    }
  }

  private void createLarge(String namespace, int objects) {
    for (int number = 0; number < objects; number++) {
      apiserver
          .cluster()
          .create(
              Type.CONFIGMAPS.resource(),
              Json.parse(
                  """
                  {"apiVersion":"v1","kind":"ConfigMap",
                   "metadata":{"namespace":"%s","name":"large-%d"},"data":{"text":"%s"}}
                  """
                      .formatted(namespace, number, "x".repeat(64 << 10))));
    }
  }

  @Test
  void deletedAccount_losesStreams() {
    String namespace = guests.namespace("deleted");
    Guests.Guest guest = guests.invite(namespace);
    Guests.Guest other = guests.invite(namespace);
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(checking, guest, namespace);
        Subscriber others = subscribe(checking, other, namespace)) {
      guests.accounts().delete(guest.account());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after the account was deleted");
      assertThat(his.end().summary()).isEqualTo(Decision.INVALID);
      assertThat(after).isLessThan(RECHECK.plus(FORGOTTEN));
      assertGoesOn(others, ticker);
    }
  }

  @Test
  void expiredToken_endsStreamAndNewTokenResumes() {
    String namespace = guests.namespace("expiring");
    Guests.Guest guest = guests.invite(namespace);
    PrivateKey key = EcKeys.read(apiserver.file(Credential.ACCOUNTS_KEY));
    AccountToken shortLived = AccountToken.of(guest.account(), Duration.ofSeconds(6));
    try (Ticker ticker = Ticker.in(apiserver.cluster(), namespace);
        Subscriber his =
            Subscriber.open(watching.with(shortLived.signed(key)), request(namespace)).begun()) {
      assertThat(his.fold().signals()).doesNotContain("GOING_AWAY REAUTHENTICATE");
      int first = firstAfterSnapshot(his, ticker);

      assertThat(his.end().summary()).isEqualTo(Decision.EXPIRED);
      Instant ended = Instant.now();
      System.out.println(
          "Ended " + Duration.between(ended, shortLived.expires()) + " before the token");
      assertThat(ended).isBefore(shortLived.expires().plusSeconds(3));
      assertThat(his.fold().signals()).endsWith("GOING_AWAY REAUTHENTICATE");

      String renewed = guests.accounts().gatewayToken(guest.account());
      try (Subscriber next = his.resume(watching.with(renewed)).begun()) {
        assertGoesOn(next, ticker);
        ticker.stop();
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> next.fold().values(ticker.key()).contains(ticker.value()));
        assertThat(next.fold().values(ticker.key()))
            .isEqualTo(IntStream.rangeClosed(first, ticker.value()).boxed().toList());
      }
    }
  }

  private static int firstAfterSnapshot(Subscriber subscriber, Ticker ticker) {
    await().atMost(Subscriber.LIMIT).until(() -> !subscriber.fold().values(ticker.key()).isEmpty());
    return subscriber.fold().values(ticker.key()).getFirst();
  }
}
