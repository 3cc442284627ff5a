package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.RawWatch;
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
   * Time limit for the end of streams. Without a re-check after a change they would end at the
   * usual one, after five minutes.
   */
  private static final Duration SOON = Duration.ofMinutes(3);

  private static final Duration RECHECK = Duration.ofSeconds(2);

  /**
   * Limit for the effect of a change on new streams, and on streams with a token of a deleted
   * account: the apiserver caches valid tokens for about ten seconds. It is below the minute for
   * which the gateway would remember a right that no change of roles concerns.
   */
  private static final Duration FORGOTTEN = Duration.ofSeconds(50);

  /** Limit for the end of a stream after the expiry of its token, also below five minutes. */
  private static final Duration AFTER_EXPIRY = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private Apiserver apiserver;
  private NamespaceReaders readers;

  /** Gateway that watches roles and bindings, and otherwise re-checks only every five minutes. */
  private SecuredGateway watching;

  /** Gateway that may not read roles and bindings, and re-checks often. */
  private SecuredGateway checking;

  @BeforeAll
  void open(Apiserver shared) {
    apiserver = shared;
    readers = new NamespaceReaders(shared);
    List<Type> types = List.of(Type.CONFIGMAPS);
    watching =
        SecuredGateway.open(
            GatewayAccount.create(
                shared, folder, "revoked-watching", types, GatewayAccount.REVIEWS_AND_ROLES),
            "--token-review",
            "--kube-listen",
            "127.0.0.1:0",
            "--type",
            "configmaps");
    watching.awaitReady(); // a watch over HTTP of a type that loads is relayed
    checking =
        SecuredGateway.open(
            GatewayAccount.create(
                shared, folder, "revoked-checking", types, GatewayAccount.REVIEWS),
            "--token-review",
            "--recheck-every",
            Long.toString(RECHECK.toSeconds()));
  }

  @AfterAll
  void close() {
    for (SecuredGateway secured : new SecuredGateway[] {watching, checking}) {
      if (secured != null) {
        secured.close();
      }
    }
  }

  private Subscriber subscribe(
      SecuredGateway secured, NamespaceReaders.Reader reader, String namespace) {
    return Subscriber.open(
            secured.with(readers.accounts().gatewayToken(reader.account())), request(namespace))
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
  private static void assertGoesOn(Subscriber subscriber, CountingWriter writer) {
    int now = writer.value();
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> subscriber.fold().hasReached(writer.key(), now + 10));
    assertThat(subscriber.isOver()).isFalse();
    assertThat(subscriber.fold().violations()).isEmpty();
  }

  /** Returns the path of a watch that is answered from the cache: others may be relayed. */
  private static String cachedWatch(String namespace) {
    return "/api/v1/namespaces/" + namespace + "/configmaps?watch=1&resourceVersion=0";
  }

  @Test
  void deletedBinding_endsAWatchOverHttp() {
    String namespace = readers.namespace("revoked");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String path = cachedWatch(namespace);
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Cluster proxied = watching.kubeApi(readers.accounts().directToken(reader.account()));
        RawWatch watch = RawWatch.open(proxied, path, "application/json")) {
      watch.awaitLine("\"ADDED\"");

      readers.rights().revoke(reader.grant());

      await().atMost(SOON).until(watch::isOver);
      assertThat(watch.isComplete()).as("ended cleanly").isTrue();
      assertThat(writer.value()).isPositive();
      Cluster.Reply again = proxied.send("GET", path, "application/json", "", "");
      assertThat(again.code()).isEqualTo(403);
      assertThat(again.header("Watchgate-Source")).isEqualTo("apiserver");
    }
  }

  @ParameterizedTest
  @EnumSource
  void deletedBinding_endsOnlyItsStreams(NamespaceReaders.By by) {
    String namespace = readers.namespace("revoked");
    NamespaceReaders.Reader reader = readers.create(namespace, by);
    NamespaceReaders.Reader other = readers.create(namespace);
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, reader, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      assertGoesOn(his, writer);

      readers.rights().revoke(reader.grant());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after a " + by + " was unbound");
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(SOON);
      assertGoesOn(others, writer);
    }
  }

  @ParameterizedTest
  @EnumSource
  void reducedRole_endsItsStreams(NamespaceReaders.By by) {
    String namespace = readers.namespace("lessened");
    NamespaceReaders.Reader reader = readers.create(namespace, by);
    NamespaceReaders.Reader other = readers.create(namespace);
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, reader, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      // Of the two rights that a stream needs, one is revoked.
      readers.rights().change(reader.grant(), Rule.verbs("configmaps", "list"));

      Duration after = timeToEnd(his);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(SOON);
      assertGoesOn(others, writer);
    }
  }

  /** Kubernetes writes these names with escapes. */
  @ParameterizedTest
  @ValueSource(strings = {"r&d", "a<b>c", "say \"hi\"", "back\\slash"})
  void rightsWithOddNames_areRevokedPromptly(String name) {
    String namespace = readers.namespace("odd");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader other = readers.create(namespace);
    Rule rule = Rule.watching("configmaps");
    Rights.Grant odd = readers.rights().named(name, namespace, other.account().subject(), rule);
    readers.rights().revoke(other.grant());
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, reader, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      readers.rights().revoke(reader.grant());

      assertThat(timeToEnd(his)).isLessThan(SOON);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertGoesOn(others, writer);

      readers.rights().revoke(odd);

      assertThat(timeToEnd(others)).isLessThan(SOON);
      assertThat(others.end().summary()).isEqualTo(CHANGED);
    }
    await()
        .untilAsserted(
            () -> {
              assertThat(watching.metric("watchgate_unwatched_role_types")).isZero();
              assertThat(checking.metric("watchgate_unwatched_role_types")).isEqualTo(4);
            });
  }

  @Test
  void removedSubject_losesStreamsAndOthersKeepThem() {
    String namespace = readers.namespace("shared");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader other = readers.create(namespace);
    readers
        .rights()
        .changeSubjects(reader.grant(), reader.account().subject(), other.account().subject());
    readers.rights().revoke(other.grant());
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, reader, namespace);
        Subscriber others = subscribe(watching, other, namespace)) {
      readers.rights().changeSubjects(reader.grant(), other.account().subject());

      assertThat(timeToEnd(his)).isLessThan(SOON);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertGoesOn(others, writer);
    }
  }

  @Test
  void unrelatedRightsChange_endsNothing() {
    String namespace = readers.namespace("unchanged");
    NamespaceReaders.Reader reader = readers.create(namespace);
    // Two grants admit the account; one of them is revoked.
    Rights.Grant second =
        readers.rights().everywhere(reader.account().subject(), Rule.watching("configmaps"));
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(watching, reader, namespace)) {
      readers.rights().revoke(reader.grant());
      NamespaceReaders.Reader canary = readers.create(namespace);
      try (Subscriber canarys = subscribe(watching, canary, namespace)) {
        readers.rights().revoke(canary.grant());
        canarys.end();
      }
      assertGoesOn(his, writer);
      readers.rights().revoke(second);
      assertThat(his.end().summary()).isEqualTo(CHANGED);
    }
  }

  @Test
  void restoredRight_isAdmittedAgain() {
    String namespace = readers.namespace("again");
    NamespaceReaders.Reader reader = readers.create(namespace);
    var channel = watching.with(readers.accounts().gatewayToken(reader.account()));
    readers.rights().revoke(reader.grant());
    await()
        .atMost(FORGOTTEN)
        .until(() -> Decision.watch(channel, request(namespace)).equals(Decision.DENIED));
    readers.rights().in(namespace, reader.account().subject(), Rule.watching("configmaps"));
    await()
        .atMost(FORGOTTEN)
        .until(() -> Decision.watch(channel, request(namespace)).equals(Decision.OPENED));
  }

  @Test
  void gatewayWithoutRoleAccess_detectsOnRecheck() {
    String namespace = readers.namespace("checked");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader other = readers.create(namespace);
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(checking, reader, namespace);
        Subscriber others = subscribe(checking, other, namespace)) {
      assertGoesOn(his, writer);

      readers.rights().revoke(reader.grant());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after it was unbound, by a check");
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      assertThat(after).isLessThan(RECHECK.multipliedBy(2).plus(SOON));
      assertGoesOn(others, writer);
    }
  }

  /**
   * Changes queued for a slow reader are never sent after its right is revoked. Both streams use
   * the same token: another token would be checked separately, and its result might be known later.
   */
  @Test
  void queuedChanges_afterRevocation_areNotSent() {
    String namespace = readers.namespace("waiting");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader other = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    int changes = 60;
    try (Subscriber slow = Subscriber.unhurried(watching.apart(token), request(namespace));
        Subscriber his = Subscriber.open(watching.with(token), request(namespace)).begun();
        Subscriber others = subscribe(watching, other, namespace)) {
      slow.read(3);
      await().atMost(Subscriber.LIMIT).until(() -> slow.fold().signals().contains("SYNCED"));
      createLarge(namespace, changes);
      await().atMost(Subscriber.LIMIT).until(() -> others.fold().changes().size() == changes);

      readers.rights().revoke(reader.grant());
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      awaitBothEnded(reader);

      slow.read(10 * changes);
      assertThat(slow.end().summary()).isEqualTo(CHANGED);
      System.out.println("Of " + changes + " changes " + slow.fold().changes().size() + " came");
      assertThat(slow.fold().changes().size()).isLessThan(changes / 3);
    }
  }

  @Test
  void snapshotInProgress_afterRevocation_isNotSent() {
    String namespace = readers.namespace("halfway");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    int objects = 60;
    createLarge(namespace, objects);
    try (Subscriber slow = Subscriber.unhurried(watching.apart(token), request(namespace));
        Subscriber his = Subscriber.open(watching.with(token), request(namespace)).begun()) {
      slow.read(3);
      await().atMost(Subscriber.LIMIT).until(() -> slow.responses().size() == 3);

      readers.rights().revoke(reader.grant());
      assertThat(his.end().summary()).isEqualTo(CHANGED);
      awaitBothEnded(reader);

      slow.read(10 * objects);
      assertThat(slow.end().summary()).isEqualTo(CHANGED);
      long came = slow.responses().stream().mapToLong(one -> one.getEventsCount()).sum();
      System.out.println("Of a snapshot of " + objects + " objects " + came + " came");
      assertThat(came).isLessThan(objects / 3);
    }
  }

  /**
   * Waits until the gateway has ended both streams of the account. It ends them one after the
   * other: his may be over while the slow one still sends.
   */
  private void awaitBothEnded(NamespaceReaders.Reader reader) {
    await()
        .atMost(Subscriber.LIMIT)
        .until(
            () ->
                watching.said().stream()
                        .filter(line -> line.contains("\"event\":\"ended\""))
                        .filter(line -> line.contains(reader.account().user()))
                        .count()
                    == 2);
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
    String namespace = readers.namespace("deleted");
    NamespaceReaders.Reader reader = readers.create(namespace);
    NamespaceReaders.Reader other = readers.create(namespace);
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        Subscriber his = subscribe(checking, reader, namespace);
        Subscriber others = subscribe(checking, other, namespace)) {
      readers.accounts().delete(reader.account());

      Duration after = timeToEnd(his);
      System.out.println("Ended " + after.toMillis() + " ms after the account was deleted");
      assertThat(his.end().summary()).isEqualTo(Decision.INVALID);
      assertThat(after).isLessThan(RECHECK.plus(FORGOTTEN));
      assertGoesOn(others, writer);
    }
  }

  @Test
  void expiringToken_endsAWatchOverHttpCleanly() {
    String namespace = readers.namespace("expiring");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String path = cachedWatch(namespace);
    PrivateKey key = EcKeys.read(apiserver.file(Credential.ACCOUNTS_KEY));
    try (CountingWriter _ = CountingWriter.in(apiserver.cluster(), namespace)) {
      ShortLived.untilBegun(
          expires -> {
            AccountToken shortLived =
                AccountToken.forApiserver(reader.account(), Duration.ZERO).until(expires);
            try (Cluster proxied = watching.kubeApi(shortLived.signed(key));
                RawWatch watch = RawWatch.open(proxied, path, "application/json")) {
              await().atMost(Subscriber.LIMIT).until(() -> watch.isOver() || isAdded(watch));
              if (!isAdded(watch)) {
                return false;
              }
              await().atMost(Subscriber.LIMIT).until(watch::isOver);
              assertThat(watch.isComplete()).as("ended cleanly").isTrue();
              assertThat(Instant.now()).isBefore(expires.plus(AFTER_EXPIRY));
              assertThat(watch.lines()).noneMatch(line -> line.contains("\"ERROR\""));
              return true;
            } catch (KubeException e) {
              assertThat(e.code()).isEqualTo(401);
              return false;
            }
          });
    }
    try (Cluster renewed = watching.kubeApi(readers.accounts().directToken(reader.account()));
        RawWatch watch = RawWatch.open(renewed, path, "application/json")) {
      watch.awaitLine("\"ADDED\"");
    }
  }

  private static boolean isAdded(RawWatch watch) {
    return watch.lines().stream().anyMatch(line -> line.contains("\"ADDED\""));
  }

  @Test
  void expiredToken_endsStreamAndNewTokenResumes() {
    String namespace = readers.namespace("expiring");
    NamespaceReaders.Reader reader = readers.create(namespace);
    PrivateKey key = EcKeys.read(apiserver.file(Credential.ACCOUNTS_KEY));
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace)) {
      ShortLived.untilBegun(
          expires -> {
            AccountToken shortLived =
                AccountToken.of(reader.account(), Duration.ZERO).until(expires);
            try (Subscriber his =
                Subscriber.open(watching.with(shortLived.signed(key)), request(namespace))) {
              await().atMost(Subscriber.LIMIT).until(() -> his.isOver() || hasChange(his, writer));
              if (!hasChange(his, writer)
                  || his.fold().signals().contains("GOING_AWAY REAUTHENTICATE")) {
                return false;
              }
              assertThat(his.end().summary()).isEqualTo(Decision.EXPIRED);
              Instant ended = Instant.now();
              System.out.println("Ended " + Duration.between(ended, expires) + " before the token");
              assertThat(ended).isBefore(expires.plus(AFTER_EXPIRY));
              assertThat(his.fold().signals()).endsWith("GOING_AWAY REAUTHENTICATE");

              assertResumes(his, reader, writer);
              return true;
            }
          });
    }
  }

  private void assertResumes(
      Subscriber ended, NamespaceReaders.Reader reader, CountingWriter writer) {
    int first = ended.fold().values(writer.key()).getFirst();
    String renewed = readers.accounts().gatewayToken(reader.account());
    try (Subscriber next = ended.resume(watching.with(renewed)).begun()) {
      assertGoesOn(next, writer);
      writer.stop();
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> next.fold().hasReached(writer.key(), writer.value()));
      assertThat(next.fold().values(writer.key()))
          .isEqualTo(IntStream.rangeClosed(first, writer.value()).boxed().toList());
    }
  }

  /** Returns whether the subscriber has had a change after the snapshot. */
  private static boolean hasChange(Subscriber subscriber, CountingWriter writer) {
    return !subscriber.fold().values(writer.key()).isEmpty();
  }
}
