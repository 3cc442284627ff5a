package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Status;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchEvent;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests of objects and requests that are larger than usual, or larger than accepted. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SizesTest {
  /** Limit of etcd for one request, 1.5 MiB, minus the fields that the apiserver adds. */
  private static final int LARGEST = (3 << 19) - 2_000;

  private static final int SMALL_RESPONSE = 16 << 10;

  // The gateway serves the version that the apiserver prefers, the second.
  private TestGateway gateway;
  private Cluster cluster;

  @BeforeAll
  void start(Apiserver apiserver) {
    cluster = apiserver.cluster();
    Widgets.install(cluster);
    gateway = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  private void createWidget(String namespace, String name, int size) {
    String spec = "{\"note\":\"" + "x".repeat(size) + "\"}";
    cluster.create(Widgets.V1, Widgets.widget(namespace, name, spec));
  }

  private static ListAndWatchRequest small(ListAndWatchRequest request) {
    return request.toBuilder()
        .setDelivery(Delivery.newBuilder().setMaxResponseBytes(SMALL_RESPONSE))
        .build();
  }

  @Test
  void largestObject_isSentCompletely() {
    cluster.createNamespace("largest");
    ListAndWatchRequest request = watch("widgets", "largest").build();
    try (Subscriber before = gateway.subscribe(request).begun()) {
      createWidget("largest", "large", LARGEST);
      before.awaitStateOf(cluster, Widgets.V2, "largest");
      try (Subscriber after = gateway.subscribe(request).begun()) {
        after.awaitStateOf(cluster, Widgets.V2, "largest");
      }
    }
    WatchEvent listed =
        gateway.calls().listObjects(list("widgets", "largest").build()).getObjects(0);
    JsonNode object = Json.parse(listed.getObject().toByteArray());
    assertThat(object.at("/spec/note").textValue()).hasSize(LARGEST);
  }

  @Test
  void objectAboveMaxResponseBytes_isSentWithoutBody() {
    cluster.createNamespace("beyond");
    createWidget("beyond", "large", 100_000);
    createWidget("beyond", "small", 10);
    ListAndWatchRequest request = small(watch("widgets", "beyond").build());
    try (Subscriber subscriber = gateway.subscribe(request).begun()) {
      createWidget("beyond", "larger", 200_000);
      createWidget("beyond", "smaller", 10);
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> subscriber.fold().story().contains("ADDED beyond/smaller"));

      assertThat(subscriber.fold().violations()).isEmpty();
      assertThat(subscriber.responses())
          .allMatch(response -> response.getSerializedSize() <= SMALL_RESPONSE);
      assertThat(subscriber.responses().stream().flatMap(r -> r.getEventsList().stream()))
          .hasSize(4)
          .allMatch(event -> event.hasOmitted() == event.getKey().getName().startsWith("large"))
          .filteredOn(WatchEvent::hasOmitted)
          .extracting(event -> event.getOmitted().getSize() / 100_000)
          .containsExactly(1L, 2L);
    }
  }

  @Test
  void pages_respectMaxResponseBytes() {
    cluster.createNamespace("pages");
    for (int i = 0; i < 10; i++) {
      createWidget("pages", "w" + i, i == 4 ? 100_000 : 5_000);
    }
    String written =
        cluster.list(Widgets.V1, "pages", Map.of()).at("/metadata/resourceVersion").textValue();
    var request =
        list("widgets", "pages")
            .setMinimumResourceVersion(written)
            .setMaxResponseBytes(SMALL_RESPONSE);
    int objects = 0;
    int omitted = 0;
    ListObjectsResponse page;
    do {
      page = gateway.calls().listObjects(request.build());
      assertThat(page.getSerializedSize()).isLessThanOrEqualTo(SMALL_RESPONSE);
      objects += page.getObjectsCount();
      omitted += (int) page.getObjectsList().stream().filter(WatchEvent::hasOmitted).count();
      request.setPageToken(page.getNextPageToken());
    } while (!page.getNextPageToken().isEmpty());

    assertThat(objects).isEqualTo(10);
    assertThat(omitted).isEqualTo(1);
    assertThat(page.getTotalObjects()).isEqualTo(10);
    assertThat(page.getResumeToken().isEmpty()).isFalse();
  }

  @Test
  void requestAboveOneMebibyte_isRefusedWithReason() {
    ReceivedError answer =
        gateway.refuse(watch("widgets").addFeatures("x".repeat((1 << 20) + 1)).build());

    assertThat(answer.summary()).isEqualTo("INVALID_ARGUMENT TOO_COMPLEX STOP");
  }

  /** The transport's own limit, so the gateway cannot add a reason. */
  @Test
  void requestAboveFourMebibytes_isRefusedByTransport() {
    ReceivedError answer =
        gateway.refuse(watch("widgets").addFeatures("x".repeat((4 << 20) + 1)).build());

    assertThat(answer.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(answer.reason()).isEmpty();
    gateway.subscribe(watch("widgets").build()).begun().close();
  }
}
