package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Duration;
import io.grpc.StatusRuntimeException;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.FreshnessProofSettings;
import io.watchgate.client.WatchError;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.proxy.Damage;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.server.KubeApiSettings;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads as of now, of a type that changes seldom, at a real kube-apiserver: what was written before
 * a request with {@code max_staleness} 0 is in its answer.
 */
@WithSharedApiserver
final class ProvenReadsTest {
  /** Most attempts to open a stream as of now. */
  private static final int ATTEMPTS = 5;

  /** A type that no other test writes. */
  private static final Resource TEMPLATES = new Resource("", "v1", "podtemplates", "PodTemplate");

  private static JsonNode template(String namespace, String name) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"PodTemplate","metadata":{"namespace":"%s","name":"%s"},
         "template":{"metadata":{},"spec":{"containers":[{"name":"c","image":"i"}]}}}
        """
            .formatted(namespace, name));
  }

  /**
   * Returns settings with which a proof may take a minute, so that a pause of a busy machine makes
   * none fail.
   *
   * @param maxListed number of objects up to which a proof lists the metadata of all
   */
  private static GatewaySetup patient(int maxListed) {
    CacheSettings served = GatewaySetup.AS_SERVED.cache();
    CacheSettings.Checks checks = served.checks();
    FreshnessProofSettings usual = checks.freshness();
    FreshnessProofSettings patient =
        new FreshnessProofSettings(
            maxListed,
            /* timeout= */ java.time.Duration.ofMinutes(1),
            usual.catchUpTime(),
            usual.listInterval(),
            usual.minListInterval(),
            usual.versionInterval());
    return GatewaySetup.AS_SERVED.with(
        new CacheSettings(
            served.history(),
            served.states(),
            served.retries(),
            new CacheSettings.Checks(checks.probeEvery(), checks.selfCheckEvery(), patient),
            served.unusedAfter(),
            served.managedFields()));
  }

  /**
   * Lists as of now, as clients do: again if the proof has taken longer than a request waits for
   * it.
   */
  private static ListObjectsResponse listAsOfNow(TestGateway gateway, ListObjectsRequest request) {
    return await()
        .ignoreExceptionsMatching(ProvenReadsTest::isTooStale)
        .until(() -> gateway.calls().listObjects(request), response -> true);
  }

  private static boolean isTooStale(Throwable refused) {
    return refused instanceof StatusRuntimeException status
        && WatchError.of(status).reason().equals("TOO_STALE");
  }

  /** Opens a stream as of now, as {@link #listAsOfNow} lists. */
  private static Subscriber streamAsOfNow(TestGateway gateway, ListAndWatchRequest request) {
    for (int i = 0; i < ATTEMPTS; i++) {
      Subscriber stream = gateway.subscribe(request);
      await().until(() -> stream.isOver() || stream.isSynced());
      if (!stream.isOver()) {
        return stream;
      }
      assertThat(stream.end().reason()).isEqualTo("TOO_STALE");
    }
    throw new AssertionError("all streams were too stale");
  }

  private static List<String> names(List<WatchEvent> events) {
    return events.stream().map(event -> event.getKey().getName()).toList();
  }

  /**
   * @param maxListed number of objects up to which a proof lists the metadata of all
   */
  @ParameterizedTest
  @ValueSource(ints = {2_000, 0})
  void readAsOfNow_hasEveryEarlierWrite(int maxListed, Apiserver apiserver) {
    String namespace = "proven-" + maxListed;
    apiserver.cluster().createNamespace(namespace);
    ConfigMaps others = ConfigMaps.in(apiserver.cluster(), "proven-others-" + maxListed);
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), patient(maxListed))) {
      for (int i = 0; i < 6; i++) {
        String name = "t" + i;
        apiserver.cluster().create(TEMPLATES, template(namespace, name));
        ListObjectsResponse listed =
            listAsOfNow(
                gateway,
                list("podtemplates", namespace)
                    .setMaxStaleness(Duration.getDefaultInstance())
                    .build());
        assertThat(names(listed.getObjectsList())).as("list %d", i).contains(name);
        assertThat(listed.getStaleness().getSeconds()).isLessThan(60);

        if (i % 2 == 0) {
          apiserver.cluster().delete(TEMPLATES, namespace, name);
        }
        try (Subscriber snapshot =
            streamAsOfNow(
                gateway,
                watch("podtemplates", namespace)
                    .setDelivery(
                        Delivery.newBuilder().setMaxStaleness(Duration.getDefaultInstance()))
                    .build())) {
          assertThat(snapshot.fold().state().containsKey(namespace + "/" + name))
              .as("snapshot %d", i)
              .isEqualTo(i % 2 != 0);
        }

        String version = others.create("c" + i, i);
        ListObjectsResponse minimum =
            gateway
                .calls()
                .listObjects(
                    list("podtemplates", namespace).setMinimumResourceVersion(version).build());
        assertThat(minimum.getObjectsCount()).isEqualTo(i / 2 + i % 2);
        assertThat(new BigInteger(minimum.getResourceVersion()))
            .isGreaterThanOrEqualTo(new BigInteger(version));
      }
      assertThat(gateway.metric("watchgate_freshness_proofs_total", "outcome=\"proven\""))
          .isPositive();
      assertThat(gateway.metric("watchgate_freshness_proofs_total", "outcome=\"unproven\""))
          .isZero();
      assertThat(gateway.metric("watchgate_freshness_proofs_total", "way=\"list\"") > 0)
          .isEqualTo(maxListed > 0);
      assertThat(gateway.metric("watchgate_lists_total", "type=\"podtemplates\"")).isEqualTo(1);
    } finally {
      apiserver.cluster().deleteNamespace(namespace);
    }
  }

  /** Damage to the gateway's watch: it brings nothing of what the apiserver has. */
  private static Damage withheldWhile(AtomicBoolean isStuck) {
    return new Damage.Edited(
        Damage.Aim.STREAMING_LIST, () -> line -> isStuck.get() ? List.of() : List.of(line));
  }

  @Test
  void readAsOfNow_eventWithheld_isRefused(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "withheld");
    AtomicBoolean isStuck = new AtomicBoolean();
    ListObjectsRequest asOfNow =
        list("configmaps", maps.namespace()).setMaxStaleness(Duration.getDefaultInstance()).build();
    try (DamagingProxy proxy = DamagingProxy.before(apiserver, withheldWhile(isStuck));
        TestGateway gateway = TestGateway.start(proxy.kubeconfig(), GatewaySetup.AS_SERVED)) {
      maps.create("seen", 0);
      assertThat(names(listAsOfNow(gateway, asOfNow).getObjectsList())).containsExactly("seen");

      isStuck.set(true); // events and bookmarks
      maps.create("withheld", 0);

      assertThatThrownBy(() -> gateway.calls().listObjects(asOfNow))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              refused -> assertThat(WatchError.of(refused).reason()).isEqualTo("TOO_STALE"));
    }
  }

  @Test
  void listOverHttp_eventWithheld_isTheApiservers(Apiserver apiserver) throws Exception {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "withheld-http");
    AtomicBoolean isStuck = new AtomicBoolean();
    KubeApiSettings api =
        KubeApiSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (DamagingProxy proxy = DamagingProxy.before(apiserver, withheldWhile(isStuck));
        GatewayUnderTest gateway =
            GatewayUnderTest.startWithKubeApi(
                proxy.kubeconfig(), GatewaySetup.AS_SERVED.opening("configmaps"), api);
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest asOfNow =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://127.0.0.1:%d/api/v1/namespaces/%s/configmaps"
                          .formatted(gateway.kubePort(), maps.namespace())))
              .header("Accept", "application/json")
              .header("Authorization", "Bearer " + apiserver.token())
              .build();
      maps.create("seen", 0);
      // After a slow proof the answer is the apiserver's.
      HttpResponse<String> proven =
          await()
              .until(
                  () -> client.send(asOfNow, BodyHandlers.ofString()),
                  answer ->
                      answer
                          .headers()
                          .firstValue("Watchgate-Source")
                          .equals(Optional.of("proven")));
      assertThat(proven.body()).contains("\"seen\"");

      isStuck.set(true); // events and bookmarks
      maps.create("withheld", 0);

      HttpResponse<String> relayed = client.send(asOfNow, BodyHandlers.ofString());
      assertThat(relayed.body()).contains("\"withheld\"");
      assertThat(relayed.headers().firstValue("Watchgate-Source")).contains("apiserver");
    }
  }
}
