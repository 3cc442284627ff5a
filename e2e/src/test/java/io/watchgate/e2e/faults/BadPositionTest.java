package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests of tokens and versions from which a stream cannot resume. */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadPositionTest {
  private static final Delivery OR_FAIL =
      Delivery.newBuilder()
          .setExpiredPositionPolicy(ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL)
          .build();

  private TestGateway gateway;
  private Cluster cluster;
  private ConfigMaps maps;
  private ListAndWatchRequest request;

  /**
   * Starts a gateway whose history has room for a few changes. The apiserver belongs to this test,
   * because writes of other tests change the state, in any namespace.
   */
  @BeforeAll
  void start(@OwnApiserver Apiserver apiserver) {
    gateway =
        TestGateway.start(
            apiserver.kubeconfig(),
            GatewaySetup.QUICK.with(
                GatewaySetup.QUICK.cache().withHistory(Duration.ofMinutes(10), 16 << 10)));
    cluster = apiserver.cluster();
    maps = ConfigMaps.in(cluster, "position");
    maps.create("a", 0);
    request = watch("configmaps", maps.namespace()).build();
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  private Subscriber begun() {
    return gateway.subscribe(request).begun();
  }

  /**
   * Writes until all earlier changes are out of history. A revision is trimmed when a change
   * arrives, once the router has passed the revision: under load that is later than the 40 changes.
   */
  private void outgrowHistory() {
    int changes = 40;
    maps.count("a", 1, changes);
    try (Subscriber subscriber = begun()) {
      maps.awaitEqual(subscriber);
    }
    AtomicInteger next = new AtomicInteger(changes);
    await()
        .atMost(Subscriber.LIMIT)
        .until(
            () -> {
              maps.set("a", next.incrementAndGet());
              return gateway.metric("watchgate_history_revisions", "type=\"configmaps\"") < changes;
            });
  }

  private ListAndWatchRequest from(ByteString token) {
    return request.toBuilder().setResumeToken(token).build();
  }

  @Test
  void modifiedToken_isMalformed() {
    try (Subscriber subscriber = begun()) {
      byte[] changed = subscriber.token().toByteArray();
      changed[changed.length / 2] ^= 1;

      for (ByteString token :
          new ByteString[] {
            ByteString.copyFrom(changed),
            subscriber.token().substring(1),
            subscriber.token().concat(subscriber.token())
          }) {
        ReceivedError answer = gateway.refuse(from(token));
        assertThat(answer.summary()).isEqualTo("INVALID_ARGUMENT TOKEN_MALFORMED STOP");
        assertThat(answer.field()).isEqualTo("resume_token");
      }
    }
  }

  @Test
  void token_requiresItsSelectionAndProjection() {
    try (Subscriber subscriber = begun()) {
      ListAndWatchRequest.Builder selects = from(subscriber.token()).toBuilder();
      selects.getSelectionBuilder().setLabelSelector("app=web");
      ListAndWatchRequest.Builder shows =
          from(subscriber.token()).toBuilder()
              .setProjection(
                  Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS));
      ListAndWatchRequest.Builder everything = from(subscriber.token()).toBuilder();
      everything.getSelectionBuilder().clearNamespaces();

      for (ListAndWatchRequest.Builder other :
          new ListAndWatchRequest.Builder[] {selects, shows, everything}) {
        ReceivedError answer = gateway.refuse(other.build());
        assertThat(answer.summary()).isEqualTo("INVALID_ARGUMENT TOKEN_OTHER_SELECTION STOP");
        assertThat(answer.field()).isEqualTo("resume_token");
      }
    }
  }

  @Test
  void tokenBeforeHistory_leadsToSnapshotOrEnd() {
    Subscriber first = begun();
    first.close();
    outgrowHistory();

    ReceivedError answer =
        gateway.refuse(from(first.token()).toBuilder().setDelivery(OR_FAIL).build());
    assertThat(answer.summary()).isEqualTo("OUT_OF_RANGE POSITION_EXPIRED RESTART");
    assertThat(answer.message()).contains("which begins at", "without a token");

    try (Subscriber second = first.resume(gateway.channel())) {
      maps.awaitEqual(second);
      assertThat(second.fold().signals()).endsWith("SNAPSHOT POSITION_EXPIRED", "SYNCED");
    }
  }

  @Test
  void versionBeforeHistory_endsStreamIfRequested() {
    outgrowHistory(); // by more than is backfilled if the apiserver still has everything

    ReceivedError answer =
        gateway.refuse(request.toBuilder().setResourceVersion("1").setDelivery(OR_FAIL).build());

    assertThat(answer.summary()).isEqualTo("OUT_OF_RANGE POSITION_EXPIRED RESTART");
  }

  @Test
  void futureVersion_isAwaitedThenRetried() {
    try (Subscriber _ = begun()) {
      String far = "9000000000000000000000";

      for (ListAndWatchRequest early :
          new ListAndWatchRequest[] {
            request.toBuilder().setResourceVersion(far).build(),
            request.toBuilder().setMinimumResourceVersion(far).build()
          }) {
        ReceivedError answer = gateway.refuse(early);
        assertThat(answer.summary()).isEqualTo("UNAVAILABLE BEHIND RESUME");
        assertThat(answer.retryAfter()).isPositive();
        assertThat(answer.message()).contains(far);
      }
    }
  }

  /** No client is ahead of the apiserver, so the apiserver must have been restored. */
  @Test
  void tokenAheadOfApiserver_isLostHistory() {
    try (Subscriber subscriber = begun()) {
      ForgedToken token =
          ForgedToken.of(subscriber.token())
              .withVersion("9000000000000000000000")
              .withOtherDigest();
      try (Subscriber ahead = gateway.subscribe(from(token.bytes())).begun()) {
        assertThat(ahead.fold().signals())
            .containsExactly("OPENED", "SNAPSHOT HISTORY_LOST", "SYNCED");
        maps.awaitEqual(ahead);
      }
    }
  }

  /** If a type has no changes, one replica's version may be ahead of another's. */
  @Test
  void tokenAheadWithSameState_isAccepted() {
    try (Subscriber subscriber = begun()) {
      maps.awaitEqual(subscriber);
      String elsewhere = ConfigMaps.in(cluster, "elsewhere").namespace();
      String ahead =
          cluster
              .get(Resource.NAMESPACES, "", elsewhere)
              .at("/metadata/resourceVersion")
              .textValue();
      ForgedToken token = ForgedToken.of(subscriber.token()).withVersion(ahead);

      try (Subscriber other = gateway.subscribe(from(token.bytes())).begun()) {
        assertThat(other.fold().signals()).containsExactly("OPENED", "RESUMED");
        assertThat(other.responses().getLast().getResourceVersion()).isEqualTo(ahead);
        maps.set("a", 1_001);
        maps.awaitEqual(subscriber);
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> other.fold().values(maps.key("a")).equals(List.of(1_001)));
      }
    }
  }

  @Test
  void tokenOfOtherHistory_isLostHistory() {
    try (Subscriber subscriber = begun()) {
      ByteString other = ForgedToken.of(subscriber.token()).withOtherDigest().bytes();

      assertThat(gateway.refuse(from(other).toBuilder().setDelivery(OR_FAIL).build()).summary())
          .isEqualTo("OUT_OF_RANGE HISTORY_LOST RESTART");
      try (Subscriber restored = gateway.subscribe(from(other)).begun()) {
        assertThat(restored.fold().signals())
            .containsExactly("OPENED", "SNAPSHOT HISTORY_LOST", "SYNCED");
        maps.awaitEqual(restored);
      }
    }
  }

  @Test
  void pageToken_isValidOnlyForItsList() {
    maps.create("b", 0);
    maps.awaitEqual(begun()); // otherwise there is nothing for a second page yet
    var first = list("configmaps", maps.namespace()).setPageSize(1);
    ByteString next = gateway.calls().listObjects(first.build()).getNextPageToken();
    assertThat(next.isEmpty()).isFalse();

    ReceivedError malformed =
        ReceivedError.of(
            catchThrowable(
                () ->
                    gateway
                        .calls()
                        .listObjects(first.clone().setPageToken(next.substring(2)).build())));
    assertThat(malformed.summary()).isEqualTo("INVALID_ARGUMENT TOKEN_MALFORMED STOP");
    assertThat(malformed.field()).isEqualTo("page_token");

    ReceivedError other =
        ReceivedError.of(
            catchThrowable(
                () -> gateway.calls().listObjects(list("configmaps").setPageToken(next).build())));
    assertThat(other.summary()).isEqualTo("INVALID_ARGUMENT TOKEN_OTHER_SELECTION STOP");

    outgrowHistory();
    ReceivedError late =
        ReceivedError.of(
            catchThrowable(
                () -> gateway.calls().listObjects(first.clone().setPageToken(next).build())));
    assertThat(late.summary()).isEqualTo("OUT_OF_RANGE PAGE_EXPIRED RESTART");

    String refused = "watchgate_list_objects_refused_total";
    for (String reason : List.of("token_malformed", "token_other_selection", "page_expired")) {
      assertThat(gateway.metric(refused, "reason=\"" + reason + "\"")).as(reason).isEqualTo(1);
    }
    assertThat(gateway.metric("watchgate_list_objects_pages_total", "type=\"configmaps\""))
        .isEqualTo(1);
  }
}
