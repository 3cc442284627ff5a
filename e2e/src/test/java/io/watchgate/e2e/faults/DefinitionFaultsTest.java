package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.proto.v1.ListAndWatchRequest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests of the streams of a custom type whose definition changes or is deleted. */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DefinitionFaultsTest {
  private Apiserver apiserver;
  private Cluster cluster;

  @BeforeAll
  void start(@OwnApiserver Apiserver own) {
    apiserver = own;
    cluster = own.cluster();
  }

  @BeforeEach
  void begin() {
    if (Widgets.isInstalled(cluster)) {
      Widgets.remove(cluster);
    }
  }

  @Test
  void recreatedDefinition_startsNewHistory() {
    installWithOneIn("gone");
    ListAndWatchRequest request = watch("widgets", "gone").build();
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        Subscriber subscriber = gateway.subscribe(request).begun()) {
      Widgets.remove(cluster);

      assertThat(subscriber.end().summary()).isEqualTo("NOT_FOUND TYPE_GONE STOP");
      assertThat(subscriber.fold().story()).containsExactly("DELETED gone/old");
      assertThat(subscriber.fold().violations()).isEmpty();
      awaitAnswer(gateway, request, "NOT_FOUND TYPE_UNKNOWN STOP");

      Widgets.install(cluster);
      cluster.create(Widgets.V1, Widgets.widget("gone", "new", "{}"));
      awaitServed(gateway, request);
      try (Subscriber resumed = subscriber.resume(gateway.channel())) {
        resumed.awaitStateOf(cluster, Widgets.V2, "gone");
        assertThat(resumed.fold().signals()).endsWith("SNAPSHOT TYPE_CHANGED", "SYNCED");
      }
    }
  }

  @Test
  void versionNoLongerServed_startsNewHistoryWithTheOther() {
    installWithOneIn("retired");
    ListAndWatchRequest request = watch("widgets", "retired").build();
    ListAndWatchRequest ofSecond = watch("e2e.watchgate.io/v2/widgets", "retired").build();
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        Subscriber subscriber = gateway.subscribe(request).begun()) {
      Widgets.retireSecondVersion(cluster);

      assertThat(subscriber.end().summary()).isEqualTo("NOT_FOUND TYPE_GONE STOP");
      assertThat(subscriber.fold().story()).isEmpty();
      awaitServed(gateway, request);
      awaitAnswer(gateway, ofSecond, "NOT_FOUND TYPE_UNKNOWN STOP");
      try (Subscriber resumed = subscriber.resume(gateway.channel())) {
        resumed.awaitStateOf(cluster, Widgets.V1, "retired");
        assertThat(resumed.fold().signals()).endsWith("SNAPSHOT TYPE_CHANGED", "SYNCED");
      }
    }
  }

  @Test
  void definitionWithChangedScope_isServed() {
    installWithOneIn("scoped");
    ListAndWatchRequest ofNamespace = watch("widgets", "scoped").build();
    ListAndWatchRequest ofAll = watch("widgets").build();
    try (TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
        Subscriber some = gateway.subscribe(ofNamespace).begun();
        Subscriber all = gateway.subscribe(ofAll).begun()) {
      Widgets.remove(cluster);
      assertThat(some.end().summary()).isEqualTo("NOT_FOUND TYPE_GONE STOP");
      assertThat(all.end().summary()).isEqualTo("NOT_FOUND TYPE_GONE STOP");

      Widgets.installWithoutNamespaces(cluster);
      cluster.create(Widgets.V1, Widgets.widget("", "new", "{}"));
      awaitServed(gateway, ofAll);

      try (Subscriber resumed = all.resume(gateway.channel())) {
        resumed.awaitStateOf(cluster, Widgets.V2, "");
        assertThat(resumed.fold().signals()).endsWith("SNAPSHOT TYPE_CHANGED", "SYNCED");
        assertThat(resumed.fold().state()).containsOnlyKeys("/new");
      }
      ReceivedError answer = gateway.refuse(ofNamespace);
      assertThat(answer.summary()).isEqualTo("INVALID_ARGUMENT VALUE_INVALID STOP");
      assertThat(answer.message()).contains("cluster-scoped", "leave the namespace out");
    }
  }

  @Test
  void configuredType_isOpenedOnceDefined() {
    cluster.createNamespace("kept");
    try (TestGateway gateway =
        TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK.opening("widgets"))) {
      assertThat(gateway.http("/readyz").statusCode()).isEqualTo(200);
      for (int number = 1; number <= 2; number++) {
        Widgets.install(cluster);
        cluster.create(Widgets.V1, Widgets.widget("kept", "w" + number, "{}"));
        await().atMost(Subscriber.LIMIT).until(() -> objects(gateway) == 1);
        Widgets.remove(cluster);
        await().atMost(Subscriber.LIMIT).until(() -> objects(gateway) == 0);
      }
    }
  }

  private void installWithOneIn(String namespace) {
    Widgets.install(cluster);
    cluster.createNamespace(namespace);
    cluster.create(Widgets.V1, Widgets.widget(namespace, "old", "{}"));
  }

  private static void awaitAnswer(
      TestGateway gateway, ListAndWatchRequest request, String summary) {
    await()
        .atMost(Subscriber.LIMIT)
        .untilAsserted(() -> assertThat(gateway.refuse(request).summary()).isEqualTo(summary));
  }

  private static void awaitServed(TestGateway gateway, ListAndWatchRequest request) {
    await()
        .atMost(Subscriber.LIMIT)
        .until(
            () -> {
              try (Subscriber again = gateway.subscribe(request)) {
                await()
                    .atMost(Subscriber.LIMIT)
                    .until(() -> again.isOver() || again.fold().signals().contains("SYNCED"));
                return !again.isOver();
              }
            });
  }

  private static double objects(TestGateway gateway) {
    return gateway.metric("watchgate_objects", "type=\"widgets.e2e.watchgate.io\"");
  }
}
