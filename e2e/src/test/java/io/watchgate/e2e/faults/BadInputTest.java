package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.proto.v1.ListObjectsRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that invalid requests are refused without an effect on another stream. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadInputTest {
  private TestGateway gateway;
  private ConfigMaps maps;
  private Subscriber bystander;
  private int writes;

  @BeforeAll
  void start(Apiserver apiserver) {
    gateway = TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK);
    maps = ConfigMaps.in(apiserver.cluster(), "bad-input");
    maps.create("a", 0);
    bystander = gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun();
  }

  @AfterEach
  void theGatewayGoesOnServing() {
    maps.set("a", ++writes);
    await()
        .atMost(Subscriber.LIMIT)
        .until(() -> bystander.fold().hasReached(maps.key("a"), writes));
    assertThat(bystander.isOver()).isFalse();
    assertThat(bystander.fold().violations()).isEmpty();
  }

  @AfterAll
  void stop() {
    bystander.close();
    gateway.close();
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.faults.RefusedRequest#all")
  void invalidWatch_isRefused(RefusedRequest refused) {
    check(refused, gateway.refuse(refused.request()));
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.faults.RefusedRequest#selections")
  void invalidList_hasSameError(RefusedRequest refused) {
    ListObjectsRequest list =
        ListObjectsRequest.newBuilder()
            .setSelection(refused.request().getSelection())
            .setProjection(refused.request().getProjection())
            .build();

    check(refused, ReceivedError.of(catchThrowable(() -> gateway.calls().listObjects(list))));
  }

  @Test
  void secrets_areServedIfConfigured(Apiserver apiserver) {
    try (TestGateway named =
            TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK.opening("secrets"));
        Subscriber subscriber = named.subscribe(watch("secrets").build())) {
      subscriber.begun();
    }
  }

  private static void check(RefusedRequest refused, ReceivedError answer) {
    assertThat(answer.summary()).isEqualTo(refused.summary());
    assertThat(answer.field()).isEqualTo(refused.field());
    assertThat(answer.message()).contains(refused.message().replaceFirst("^column \\d+: ", ""));
    if (!refused.field().isEmpty()) {
      assertThat(answer.description()).contains(refused.message());
    }
  }
}
