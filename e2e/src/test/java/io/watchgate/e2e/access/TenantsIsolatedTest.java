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
 * Randomized test of tenants that share a gateway: over gRPC and over the Kubernetes API each
 * receives exactly the changes that the apiserver would send to it. {@code
 * -Dwatchgate.test.args=-Dseed=N} repeats rights, streams and writes.
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
  private SecuredGateway secured;

  @BeforeAll
  void open(Apiserver shared) {
    System.out.println("Tenants isolated with seed " + seed);
    apiserver = shared;
    GatewayAccount gatewayAccount =
        GatewayAccount.create(
            shared,
            folder,
            "tenants-gateway",
            List.of(Type.CONFIGMAPS, Type.SECRETS),
            GatewayAccount.REVIEWS_AND_ROLES);
    secured =
        SecuredGateway.open(
            gatewayAccount, "--token-review", "--type", "secrets", "--kube-listen", "127.0.0.1:0");
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
    String direct = accounts.directToken(account);
    ComparedUser user =
        new ComparedUser(
            account.user(),
            apiserver.clusterWith(direct),
            secured.kubeApi(direct),
            secured.with(accounts.gatewayToken(account)));
    Rights rights = new Rights(apiserver.cluster());
    Rule[] all = {Rule.watching("configmaps"), Rule.watching("secrets")};
    if (number == 0) {
      rights.everywhere(account.subject(), all);
      Rights.awaitAllowed(user.direct(), List.of(Type.CONFIGMAPS, Type.SECRETS));
      return new Tenant(user, List.of(), "");
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
      Rights.awaitAnswer(user.direct(), Type.SECRETS, namespace, 200);
    }
    return new Tenant(user, shuffled.subList(0, 2), only);
  }

  @AfterAll
  void close() {
    tenants.forEach(tenant -> tenant.user().close());
    if (secured != null) {
      secured.close();
    }
  }

  @Test
  void tenant_receivesExactlyItsPermittedChanges() {
    List<TenantComparison> comparisons = new ArrayList<>();
    try {
      for (Tenant tenant : tenants) {
        for (int i = 0; i < STREAMS_EACH; i++) {
          comparisons.add(TenantComparison.begin(tenant, tenant.allowed(random)));
        }
      }
      comparisons.forEach(TenantComparison::awaitBegun);
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> comparisons.stream().allMatch(TenantComparison::isListed));

      RandomObjects objects = new RandomObjects(apiserver.cluster(), NAMESPACES, seed);
      for (int number = 0; number < WRITES; number++) {
        objects.write(number);
        if (number % 10 == 0) {
          comparisons.get(random.nextInt(comparisons.size())).reopen();
          assertNothingForeignOpens(tenants.get(1 + random.nextInt(TENANTS - 1)));
        }
      }

      await()
          .atMost(Subscriber.LIMIT)
          .untilAsserted(() -> comparisons.forEach(TenantsIsolatedTest::assertSameLength));
      for (TenantComparison comparison : comparisons) {
        assertThat(comparison.received())
            .as("%s, seed %d", comparison, seed)
            .isEqualTo(comparison.direct());
        assertThat(comparison.proxied())
            .as("over the Kubernetes API: %s, seed %d", comparison, seed)
            .isEqualTo(comparison.direct());
        assertThat(comparison.complaints()).as("%s, seed %d", comparison, seed).isEmpty();
      }
      long received =
          comparisons.stream().mapToLong(comparison -> comparison.received().size()).sum();
      System.out.println(
          "Tenants isolated with seed " + seed + ": " + received + " changes received");
      assertThat(received).isGreaterThan(WRITES);
    } finally {
      comparisons.forEach(TenantComparison::close);
    }
  }

  private static void assertSameLength(TenantComparison comparison) {
    assertThat(comparison.received()).as("%s", comparison).hasSameSizeAs(comparison.direct());
    assertThat(comparison.proxied()).as("%s", comparison).hasSameSizeAs(comparison.direct());
  }

  private void assertNothingForeignOpens(Tenant tenant) {
    Tenant.Wanted forbidden = tenant.forbidden(random, NAMESPACES);
    assertThat(Decision.watch(tenant.user().gateway(), forbidden.request()))
        .as("%s with %s, seed %d", tenant, forbidden, seed)
        .isEqualTo(Decision.DENIED);
    ListObjectsRequest list =
        ListObjectsRequest.newBuilder().setSelection(forbidden.request().getSelection()).build();
    assertThat(Decision.list(tenant.user().gateway(), list))
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
    try (Subscriber subscriber = Subscriber.open(everything.user().gateway(), watch).begun()) {
      var resumed = watch.toBuilder().setResumeToken(subscriber.token());
      assertThat(Decision.watch(everything.user().gateway(), resumed.build()))
          .isEqualTo(Decision.OPENED);
      assertThat(Decision.watch(little.user().gateway(), resumed.build()))
          .isEqualTo(Decision.DENIED);
      var own = Requests.watch("configmaps", little.seen().getFirst());
      assertThat(
              Decision.watch(
                  little.user().gateway(), own.setResumeToken(subscriber.token()).build()))
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
                    WatchServiceGrpc.newBlockingStub(everything.user().gateway())
                        .listObjects(first),
                answer -> !answer.getNextPageToken().isEmpty());
    ListObjectsRequest second = first.toBuilder().setPageToken(page.getNextPageToken()).build();

    assertThat(Decision.list(everything.user().gateway(), second)).isEqualTo(Decision.OPENED);
    assertThat(Decision.list(tenants.get(1).user().gateway(), second)).isEqualTo(Decision.DENIED);
  }
}
