package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of {@code watchgate top} with two real gateways. */
@Tag("slow")
final class TopCommandTest {
  private static SandboxedGateway first;
  private static SandboxedGateway second;
  private static final List<WatchClient> CLIENTS = new ArrayList<>();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void start() throws Exception {
    first = new SandboxedGateway();
    second = new SandboxedGateway();
    watch(first, "one", "", 3);
    watch(second, "two", "app=web", 2);
  }

  private static void watch(SandboxedGateway gateway, String name, String labels, int streams)
      throws InterruptedException {
    WatchClient client = WatchClient.to("127.0.0.1", gateway.port()).build();
    CLIENTS.add(client);
    CountDownLatch synced = new CountDownLatch(streams);
    for (int i = 0; i < streams; i++) {
      var _ =
          client.watch(
              ListAndWatchRequest.newBuilder()
                  .setClientName(name)
                  .setSelection(
                      Selection.newBuilder()
                          .setResourceType(ResourceType.newBuilder().setResource("pods"))
                          .addNamespaces("default")
                          .setLabelSelector(labels))
                  .build(),
              update -> {
                if (update instanceof WatchUpdate.SnapshotComplete) {
                  synced.countDown();
                }
              });
    }
    assertThat(synced.await(3, TimeUnit.MINUTES)).isTrue();
    // A page shows it as live a moment after its snapshot.
    await().until(() -> liveStreams(gateway) == streams);
  }

  @AfterAll
  static void stop() {
    CLIENTS.forEach(WatchClient::close);
    first.close();
    second.close();
  }

  @BeforeEach
  void clear() {
    out.reset();
    err.reset();
  }

  private int run(String... options) {
    List<String> line = new ArrayList<>(List.of("top", "--once"));
    line.addAll(List.of(options));
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        line.toArray(String[]::new));
  }

  private static String servers() {
    return "127.0.0.1:" + first.httpPort() + ",127.0.0.1:" + second.httpPort();
  }

  private JsonObject json(String... options) {
    clear();
    List<String> all = new ArrayList<>(List.of("-o", "json"));
    all.addAll(List.of(options));
    assertThat(run(all.toArray(String[]::new))).as(err.toString(StandardCharsets.UTF_8)).isZero();
    return JsonParser.parseString(out.toString(StandardCharsets.UTF_8)).getAsJsonObject();
  }

  @Test
  void tables_haveReplicasAndStreams() {
    assertThat(run("--server", servers())).isZero();

    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("REPLICA", "yes", "127.0.0.1:" + first.httpPort(), "5 of 5 streams", "BEHIND")
        .contains("-n default -l app=web", "live", "pods", "one", "two")
        .doesNotContain("null");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  /** The rows of all replicas are those of their pages together. */
  @Test
  void json_isTheSumOfTheReplicas() throws Exception {
    JsonObject all = json("--server", servers());

    assertThat(all.get("total").getAsInt()).isEqualTo(5);
    assertThat(all.getAsJsonArray("replicas")).hasSize(2);
    List<String> ids = new ArrayList<>();
    for (SandboxedGateway gateway : List.of(first, second)) {
      pageOfStreams(gateway).forEach(row -> ids.add(id(row.getAsJsonObject())));
    }
    List<String> shown = new ArrayList<>();
    all.getAsJsonArray("streams").forEach(row -> shown.add(id(row.getAsJsonObject())));
    assertThat(shown).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(json("--server", servers(), "--client", "two", "--limit", "1"))
        .satisfies(
            one -> {
              assertThat(one.get("total").getAsInt()).isEqualTo(2);
              assertThat(one.getAsJsonArray("streams")).hasSize(1);
            });
  }

  private static String id(JsonObject row) {
    return row.get("stream").getAsString();
  }

  private static JsonArray pageOfStreams(SandboxedGateway gateway) throws Exception {
    URI page = URI.create("http://127.0.0.1:" + gateway.httpPort() + "/debug/streams");
    try (HttpClient http = HttpClient.newHttpClient()) {
      String body =
          http.send(
                  HttpRequest.newBuilder(page).header("Accept", "application/json").build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      return JsonParser.parseString(body).getAsJsonObject().getAsJsonArray("streams");
    }
  }

  private static int liveStreams(SandboxedGateway gateway) throws Exception {
    int live = 0;
    for (JsonElement row : pageOfStreams(gateway)) {
      if (row.getAsJsonObject().get("phase").getAsString().equals("live")) {
        live++;
      }
    }
    return live;
  }

  @Test
  void replicaThatDoesNotAnswer_isMarked_othersAreShown() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }

    JsonObject answers = json("--server", "127.0.0.1:" + closed + "," + servers());

    JsonObject gone = answers.getAsJsonArray("replicas").get(0).getAsJsonObject();
    assertThat(gone.get("error").getAsString()).isEqualTo("nothing answers there");
    assertThat(answers.get("total").getAsInt()).isEqualTo(5);
    clear();
    assertThat(run("--server", "127.0.0.1:" + closed)).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("nothing answers there", "0 of 0");
  }

  @Test
  void portOfGrpc_isNoPage() {
    assertThat(run("--server", "127.0.0.1:" + first.port())).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("Exception");
  }
}
