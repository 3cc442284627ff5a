package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Randomized test of tenants that share a gateway: each receives exactly the changes that the
 * apiserver would send to it. {@code -Dwatchgate.test.args=-Dseed=N} repeats rights, streams and
 * writes.
 */
@WithSharedApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class TenantsIsolatedTest {
  private static final List<String> NAMESPACES =
      IntStream.range(0, 5).mapToObj(number -> "tenants-" + number).toList();
  private static final int TENANTS = 12;
  private static final int STREAMS_EACH = 4;
  private static final int WRITES = 1_500;

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Random random = new Random(seed);

  @TempDir private static Path folder;

  private final List<Tenant> tenants = new ArrayList<>();
  private Apiserver apiserver;
  private Door door;

  @BeforeAll
  void open(Apiserver shared) {
    System.out.println("Tenants isolated with seed " + seed);
    apiserver = shared;
    Servant servant =
        Servant.create(
            shared,
            folder,
            "tenants-gateway",
            List.of(Type.CONFIGMAPS, Type.SECRETS),
            Servant.REVIEWS_AND_ROLES);
    door = Door.open(servant, "--token-review", "--type", "secrets");
    Accounts accounts = new Accounts(shared.cluster());
    NAMESPACES.forEach(accounts::namespace);
    for (int number = 0; number < TENANTS; number++) {
      tenants.add(settle(accounts, number));
    }
  }

  /**
   * Creates a tenant. The first sees everything; each other tenant sees two namespaces and one more
   * object.
   */
  private Tenant settle(Accounts accounts, int number) {
    Accounts.Account account = accounts.create("tenants-home", "tenant-" + number);
    Person person =
        new Person(
            account.user(),
            apiserver.clusterWith(accounts.directToken(account)),
            door.with(accounts.gatewayToken(account)));
    Rights rights = new Rights(apiserver.cluster());
    Rule[] all = {Rule.watching("configmaps"), Rule.watching("secrets")};
    if (number == 0) {
      rights.everywhere(account.subject(), all);
      Rights.awaitAllowed(person.direct(), List.of(Type.CONFIGMAPS, Type.SECRETS));
      return new Tenant(person, List.of(), "");
    }
    List<String> shuffled = new ArrayList<>(NAMESPACES);
    Collections.shuffle(shuffled, random);
    String only = shuffled.get(2);
    rights.in(
        only,
        account.subject(),
        Rule.watching("configmaps").named(Tenant.NAME),
        Rule.watching("secrets").named(Tenant.NAME));
    for (String namespace : shuffled.subList(0, 2)) {
      rights.in(namespace, account.subject(), all);
      Rights.awaitAnswer(person.direct(), Type.SECRETS, namespace, 200);
    }
    return new Tenant(person, shuffled.subList(0, 2), only);
  }

  @AfterAll
  void close() {
    tenants.forEach(tenant -> tenant.person().close());
    if (door != null) {
      door.close();
    }
  }

  @Test
  void tenant_receivesExactlyItsPermittedChanges() {
    List<Shadow> shadows = new ArrayList<>();
    try {
      for (Tenant tenant : tenants) {
        for (int i = 0; i < STREAMS_EACH; i++) {
          shadows.add(Shadow.begin(tenant, tenant.allowed(random)));
        }
      }
      shadows.forEach(Shadow::awaitBegun);
      await().atMost(Subscriber.LIMIT).until(() -> shadows.stream().allMatch(Shadow::isListed));

      RandomObjects objects = new RandomObjects(apiserver.cluster(), NAMESPACES, seed);
      for (int number = 0; number < WRITES; number++) {
        objects.write(number);
        if (number % 10 == 0) {
          shadows.get(random.nextInt(shadows.size())).reopen();
          assertNothingForeignOpens(tenants.get(1 + random.nextInt(TENANTS - 1)));
        }
      }

      await()
          .atMost(Subscriber.LIMIT)
          .untilAsserted(() -> shadows.forEach(TenantsIsolatedTest::assertSameLength));
      for (Shadow shadow : shadows) {
        assertThat(shadow.told()).as("%s, seed %d", shadow, seed).isEqualTo(shadow.direct());
        assertThat(shadow.complaints()).as("%s, seed %d", shadow, seed).isEmpty();
      }
      long told = shadows.stream().mapToLong(shadow -> shadow.told().size()).sum();
      System.out.println("Tenants isolated with seed " + seed + ": " + told + " changes told");
      assertThat(told).isGreaterThan(WRITES);
    } finally {
      shadows.forEach(Shadow::close);
    }
  }

  private static void assertSameLength(Shadow shadow) {
    assertThat(shadow.told()).as("%s", shadow).hasSameSizeAs(shadow.direct());
  }

  private void assertNothingForeignOpens(Tenant tenant) {
    Tenant.Wanted forbidden = tenant.forbidden(random, NAMESPACES);
    assertThat(Decision.watch(tenant.person().gateway(), forbidden.request()))
        .as("%s with %s, seed %d", tenant, forbidden, seed)
        .isEqualTo(Decision.DENIED);
    ListObjectsRequest list =
        ListObjectsRequest.newBuilder().setSelection(forbidden.request().getSelection()).build();
    assertThat(Decision.list(tenant.person().gateway(), list))
        .as("%s with %s, seed %d", tenant, forbidden, seed)
        .isEqualTo(Decision.DENIED);
  }

  /** A token states the position of a stream and grants no rights. */
  @Test
  void tokenOfOtherTenant_isRefused() {
    Tenant everything = tenants.getFirst();
    Tenant little = tenants.get(1);
    String foreign =
        NAMESPACES.stream()
            .filter(namespace -> !little.seen().contains(namespace))
            .findFirst()
            .orElseThrow();
    var watch = Requests.watch("configmaps", foreign).build();
    try (Subscriber subscriber = Subscriber.open(everything.person().gateway(), watch).begun()) {
      var resumed = watch.toBuilder().setResumeToken(subscriber.token());
      assertThat(Decision.watch(everything.person().gateway(), resumed.build()))
          .isEqualTo(Decision.OPENED);
      assertThat(Decision.watch(little.person().gateway(), resumed.build()))
          .isEqualTo(Decision.DENIED);
      var own = Requests.watch("configmaps", little.seen().getFirst());
      assertThat(
              Decision.watch(
                  little.person().gateway(), own.setResumeToken(subscriber.token()).build()))
          .isEqualTo("INVALID_ARGUMENT TOKEN_OTHER_SELECTION STOP");
    }
  }

  @Test
  void pageTokenOfOtherTenant_isRefused() {
    for (int number = 0; number < 2; number++) {
      apiserver
          .cluster()
          .create(
              Type.CONFIGMAPS.resource(),
              Json.parse(
                  """
                  {"apiVersion":"v1","kind":"ConfigMap",
                   "metadata":{"namespace":"tenants-home","name":"page-%d"}}
                  """
                      .formatted(number)));
    }
    ListObjectsRequest first = Requests.list("configmaps", "tenants-home").setPageSize(1).build();
    Tenant everything = tenants.getFirst();
    ListObjectsResponse page =
        await()
            .atMost(Subscriber.LIMIT)
            .until(
                () ->
                    WatchServiceGrpc.newBlockingStub(everything.person().gateway())
                        .listObjects(first),
                answer -> !answer.getNextPageToken().isEmpty());
    ListObjectsRequest second = first.toBuilder().setPageToken(page.getNextPageToken()).build();

    assertThat(Decision.list(everything.person().gateway(), second)).isEqualTo(Decision.OPENED);
    assertThat(Decision.list(tenants.get(1).person().gateway(), second)).isEqualTo(Decision.DENIED);
  }
}
