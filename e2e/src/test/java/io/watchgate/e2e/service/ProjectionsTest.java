package io.watchgate.e2e.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ObjectView;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.sandbox.patch.Patch;
import io.watchgate.sandbox.patch.PatchException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Comparison of a pod's projections with those that Jackson computes from the apiserver's own
 * answer.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ProjectionsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String NAMESPACE = "projections";

  private final AtomicInteger pods = new AtomicInteger();
  private Cluster cluster;
  private GatewayUnderTest gateway;
  private ManagedChannel channel;

  @BeforeAll
  void start(Apiserver apiserver) {
    cluster = apiserver.cluster();
    cluster.createNamespace(NAMESPACE);
    gateway = GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", gateway.port()).usePlaintext().build();
  }

  @AfterAll
  void stop() {
    channel.shutdownNow();
    gateway.close();
  }

  private static WatchServiceGrpc.WatchServiceBlockingStub calls(ManagedChannel channel) {
    return WatchServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private static Selection only(String pod) {
    return Selection.newBuilder()
        .setResourceType(ResourceType.newBuilder().setResource("pods"))
        .addNamespaces(NAMESPACE)
        .setFieldSelector("metadata.name=" + pod)
        .setLabelSelector("app=web")
        .build();
  }

  private String create() {
    String name = "pod-" + pods.incrementAndGet();
    var _ =
        cluster.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"namespace":"%s","name":"%s","labels":{"app":"web"},
                  "annotations":{"example.com/owner":"<me> & \\"you\\"","b":"}{"}},
                 "spec":{"nodeName":"node-1","containers":[
                  {"name":"web","image":"web:1","env":[{"name":"A","value":"%s"}]},
                  {"name":"proxy","image":"proxy:2"}]}}
                """
                    .formatted(NAMESPACE, name, "x".repeat(2_000))));
    return name;
  }

  private String flip(String pod, String ready) {
    return cluster
        .patchStatus(
            Resource.PODS,
            NAMESPACE,
            pod,
            "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}"
                .formatted(ready))
        .at("/metadata/resourceVersion")
        .textValue();
  }

  private JsonNode get(String pod) {
    return cluster.get(Resource.PODS, NAMESPACE, pod);
  }

  private static WatchEvent next(Iterator<ListAndWatchResponse> stream) {
    while (stream.hasNext()) {
      ListAndWatchResponse response = stream.next();
      if (response.getEventsCount() > 0) {
        assertThat(response.getEventsCount()).isEqualTo(1);
        return response.getEvents(0);
      }
    }
    throw new AssertionError("the stream ended");
  }

  private static void check(
      WatchEvent event, EventType type, ExpectedProjection shown, JsonNode object) {
    assertThat(event.getType()).isEqualTo(type);
    assertThat(event.getResourceVersion())
        .isEqualTo(object.at("/metadata/resourceVersion").textValue());
    assertThat(event.getKey().getUid()).isEqualTo(object.at("/metadata/uid").textValue());
    if (shown.body().isEmpty()) {
      assertThat(event.getBodyCase()).isEqualTo(WatchEvent.BodyCase.BODY_NOT_SET);
    } else {
      assertThat(Json.parse(event.getObject().toByteArray())).isEqualTo(shown.of(object));
    }
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.service.ExpectedProjection#all")
  void projection_hasExpectedBody(ExpectedProjection shown) {
    String pod = create();
    String version = flip(pod, "False");
    ListObjectsResponse list =
        calls(channel)
            .listObjects(
                ListObjectsRequest.newBuilder()
                    .setSelection(only(pod))
                    .setProjection(shown.projection())
                    .setMinimumResourceVersion(version)
                    .build());
    check(list.getObjects(0), EventType.EVENT_TYPE_ADDED, shown, get(pod));

    Iterator<ListAndWatchResponse> stream =
        calls(channel)
            .listAndWatch(
                ListAndWatchRequest.newBuilder()
                    .setSelection(only(pod))
                    .setProjection(shown.projection())
                    .build());
    check(next(stream), EventType.EVENT_TYPE_ADDED, shown, get(pod));
    flip(pod, "True");
    JsonNode last = get(pod);
    assertThat(last.at("/metadata/managedFields/0").isObject()).isTrue();
    check(next(stream), EventType.EVENT_TYPE_MODIFIED, shown, last);
    JsonNode left =
        cluster.patch(
            Resource.PODS, NAMESPACE, pod, "{\"metadata\":{\"labels\":{\"app\":\"other\"}}}");
    ((ObjectNode) last.get("metadata"))
        .set("resourceVersion", left.at("/metadata/resourceVersion"));
    check(next(stream), EventType.EVENT_TYPE_DELETED, shown, last);
  }

  @ParameterizedTest
  @MethodSource("io.watchgate.e2e.service.ExpectedProjection#all")
  void patches_resultInProjectedBody(ExpectedProjection shown) throws PatchException {
    String pod = create();
    Iterator<ListAndWatchResponse> stream =
        calls(channel)
            .listAndWatch(
                ListAndWatchRequest.newBuilder()
                    .setSelection(only(pod))
                    .setProjection(
                        shown.projection().toBuilder()
                            .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH))
                    .build());
    WatchEvent held = next(stream);
    check(held, EventType.EVENT_TYPE_ADDED, shown, get(pod));
    for (String ready : new String[] {"False", "True", "False"}) {
      flip(pod, ready);
      JsonNode now = get(pod);
      WatchEvent changed = next(stream);
      if (changed.hasPatch()) {
        assertThat(changed.getPatch().getBaseResourceVersion())
            .isEqualTo(held.getResourceVersion());
        changed =
            changed.toBuilder()
                .setObject(
                    ByteString.copyFromUtf8(
                        patched(
                            held.getObject().toStringUtf8(),
                            changed.getPatch().getJsonPatch().toByteArray())))
                .build();
      } else {
        ObjectView view = shown.projection().getView();
        assertThat(view)
            .as("a large object that hardly changed is a patch")
            .isNotIn(ObjectView.OBJECT_VIEW_FULL, ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS);
      }
      check(changed, EventType.EVENT_TYPE_MODIFIED, shown, now);
      held = changed;
    }
  }

  private static String patched(String object, byte[] patch) throws PatchException {
    JsonObject before = JsonParser.parseString(object).getAsJsonObject();
    return Patch.parse("application/json-patch+json", patch, Optional.empty())
        .apply(before)
        .toString();
  }

  @Test
  void managedFields_canBeDropped(Apiserver apiserver) {
    String pod = create();
    GatewaySetup dropping =
        GatewaySetup.AS_SERVED.with(GatewaySetup.AS_SERVED.cache().withoutManagedFields());
    try (GatewayUnderTest other = GatewayUnderTest.start(apiserver.kubeconfig(), dropping)) {
      ManagedChannel there =
          NettyChannelBuilder.forAddress("127.0.0.1", other.port()).usePlaintext().build();
      try {
        Iterator<ListAndWatchResponse> stream =
            calls(there)
                .listAndWatch(
                    ListAndWatchRequest.newBuilder()
                        .setSelection(only(pod))
                        .setProjection(Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_FULL))
                        .build());
        checkBytes(pod, next(stream));
        flip(pod, "True");
        checkBytes(pod, next(stream));
      } finally {
        there.shutdownNow();
      }
    }
  }

  /** Compares the bytes with the other gateway's without managedFields; nothing else may differ. */
  private void checkBytes(String pod, WatchEvent event) {
    ListObjectsRequest without =
        ListObjectsRequest.newBuilder()
            .setSelection(only(pod))
            .setProjection(
                Projection.newBuilder().setView(ObjectView.OBJECT_VIEW_NO_MANAGED_FIELDS))
            .setMinimumResourceVersion(event.getResourceVersion())
            .build();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(
                        calls(channel)
                            .listObjects(without)
                            .getObjects(0)
                            .getObject()
                            .toString(StandardCharsets.UTF_8))
                    .isEqualTo(event.getObject().toString(StandardCharsets.UTF_8)));
  }
}
