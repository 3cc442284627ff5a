package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.clients.Maps;
import io.watchgate.e2e.clients.MapsWriter;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.RawWatch;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceBlockingStub;
import io.watchgate.server.GatewaySettings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Test of two replicas that have just started, at different versions of a type that does not
 * change: what a client has listed at one of them, it can watch and list further at the other.
 */
@WithApiserver
final class FreshReplicasTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int OBJECTS = 1_000;
  private static final int PAGE = 400;
  private static final String JSON = "application/json";

  private static final ProcessSetup SETUP =
      new ProcessSetup(
          List.of(), 256, ProcessSetup.AS_SERVED, List.of("configmaps"), GatewaySettings.Lane.ON);

  @Test
  void listOfOneReplica_continuesAtTheOther(
      @OwnApiserver(flags = OwnApiserver.UNCOMPACTED) Apiserver apiserver) throws Exception {
    Maps maps = MapsWriter.thousandMaps(apiserver);
    try (Replica earlier = started(apiserver)) {
      apiserver.cluster().createNamespace("between-the-replicas");
      try (Replica later = started(apiserver);
          Clients ofEarlier = new Clients(earlier, apiserver, maps);
          Clients ofLater = new Clients(later, apiserver, maps)) {
        // The versions differ until the next probe of the earlier replica, up to 10 s later.
        assertContinues(ofEarlier, ofLater);
        assertContinues(ofLater, ofEarlier);

        try (RawWatch one = ofLater.watch(ofEarlier.version());
            RawWatch other = ofEarlier.watch(ofLater.version())) {
          maps.change("map-7", "after the lists");
          for (RawWatch watch : List.of(one, other)) {
            await().atMost(LIMIT).until(() -> !watch.events().isEmpty());
            JsonNode event = Json.parse(watch.events().getFirst());
            assertThat(event.get("type").textValue()).isEqualTo("MODIFIED");
            assertThat(event.at("/object/metadata/name").textValue()).isEqualTo("map-7");
          }
        }
      }
    }
  }

  private static Replica started(Apiserver apiserver) throws Exception {
    Replica replica = new Replica(apiserver, Optional.empty(), SETUP);
    replica.gateway().awaitReady();
    return replica;
  }

  private static void assertContinues(Clients lister, Clients watcher) {
    List<JsonNode> items = new ArrayList<>();
    JsonNode first = lister.page("");
    JsonNode page = first;
    for (; page.at("/metadata").has("continue"); page = watcher.page(continueOf(page))) {
      page.get("items").forEach(items::add);
    }
    page.get("items").forEach(items::add);
    assertThat(items).hasSize(OBJECTS);
    assertThat(page.at("/metadata/resourceVersion"))
        .isEqualTo(first.at("/metadata/resourceVersion"));

    ListObjectsResponse begun = lister.grpc.listObjects(lister.list().build());
    ListObjectsResponse end = begun;
    int objects = begun.getObjectsCount();
    while (!end.getNextPageToken().isEmpty()) {
      end = watcher.grpc.listObjects(lister.list().setPageToken(end.getNextPageToken()).build());
      objects += end.getObjectsCount();
    }
    assertThat(objects).isEqualTo(OBJECTS);
    assertThat(end.getResourceVersion()).isEqualTo(begun.getResourceVersion());

    Iterator<ListAndWatchResponse> stream =
        watcher
            .grpc
            .withDeadlineAfter(LIMIT)
            .listAndWatch(
                ListAndWatchRequest.newBuilder()
                    .setSelection(lister.selection)
                    .setResumeToken(end.getResumeToken())
                    .setDelivery(
                        Delivery.newBuilder()
                            .setExpiredPositionPolicy(
                                ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL))
                    .build());
    assertThat(stream.next().hasOpened()).isTrue();
    assertThat(stream.next().hasResumed()).isTrue();
  }

  private static String continueOf(JsonNode page) {
    return page.at("/metadata/continue").textValue();
  }

  /** Clients of one replica, over both protocols. */
  private static final class Clients implements AutoCloseable {
    private final Cluster http;
    private final ManagedChannel channel;
    private final WatchServiceBlockingStub grpc;
    private final String namespace;
    private final Selection selection;

    Clients(Replica replica, Apiserver apiserver, Maps maps) {
      http =
          Cluster.plaintext(
              URI.create("http://127.0.0.1:" + replica.kubePort()), apiserver.token());
      channel =
          Grpc.newChannelBuilder("127.0.0.1:" + replica.port(), InsecureChannelCredentials.create())
              .build();
      grpc = WatchServiceGrpc.newBlockingStub(channel);
      namespace = maps.namespace();
      selection =
          Selection.newBuilder()
              .setResourceType(ResourceType.newBuilder().setResource("configmaps"))
              .addNamespaces(namespace)
              .build();
    }

    /** Returns the version of a list from the cache. */
    String version() {
      return http.list(Resource.CONFIGMAPS, namespace, Map.of("resourceVersion", "0"))
          .at("/metadata/resourceVersion")
          .textValue();
    }

    JsonNode page(String token) {
      String limit = Integer.toString(PAGE);
      return http.list(
          Resource.CONFIGMAPS,
          namespace,
          token.isEmpty() ? Map.of("limit", limit) : Map.of("limit", limit, "continue", token));
    }

    ListObjectsRequest.Builder list() {
      return ListObjectsRequest.newBuilder().setSelection(selection).setPageSize(PAGE);
    }

    RawWatch watch(String version) {
      return RawWatch.open(
          http,
          "/api/v1/namespaces/%s/configmaps?watch=1&resourceVersion=%s"
              .formatted(namespace, version),
          JSON);
    }

    @Override
    public void close() {
      channel.shutdownNow();
      http.close();
    }
  }
}
