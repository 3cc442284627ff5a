package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.events.EventReader;
import io.watchgate.e2e.faults.Requests;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of the flight recorder's events of a gateway that replaces another one and whose reader
 * loses its right, and of the traces of the reader's calls over HTTP.
 */
@WithSharedApiserver
final class RecordedFaultsTest {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String[] OPTIONS = {
    "--token-review", "--recheck-every", "2", "--kube-listen", "127.0.0.1:0"
  };

  @TempDir private Path folder;

  private static URI kube(SecuredGateway gateway, String path) {
    return URI.create("http://127.0.0.1:" + gateway.kubePort() + path);
  }

  private static List<String> apisOfTracedStreams(SecuredGateway gateway, HttpClient http)
      throws Exception {
    HttpRequest page =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + gateway.httpPort() + "/debug/streams"))
            .header("Accept", "application/json")
            .build();
    List<String> apis = new ArrayList<>();
    for (JsonNode row :
        Json.parse(http.send(page, HttpResponse.BodyHandlers.ofString()).body()).get("streams")) {
      if (row.get("traceparent").asText().equals(TRACE)) {
        apis.add(row.get("api").asText());
      }
    }
    return apis;
  }

  private static long tracedLines(SecuredGateway gateway, String event) {
    return gateway.said().stream()
        .filter(line -> line.contains("\"event\":\"" + event + "\""))
        .filter(line -> line.contains("\"traceparent\":\"" + TRACE + "\""))
        .count();
  }

  @Test
  void recordingOfARunWithFaults_hasEachEvent(Apiserver apiserver) throws Exception {
    NamespaceReaders readers = new NamespaceReaders(apiserver);
    String namespace = readers.namespace("recorded");
    NamespaceReaders.Reader reader = readers.create(namespace);
    String token = readers.accounts().gatewayToken(reader.account());
    String ofApiserver = readers.accounts().directToken(reader.account());
    GatewayAccount account =
        GatewayAccount.create(
            apiserver, folder, "recorded", List.of(Type.CONFIGMAPS), GatewayAccount.REVIEWS);
    ListAndWatchRequest request =
        Requests.watch("configmaps", namespace).setClientName("recorded").build();
    Path file = folder.resolve("run.jfr");
    String recording =
        "-XX:StartFlightRecording:dumponexit=true,+io.watchgate.Snapshot#threshold=0ms,filename=";
    double eventsSent;
    try (CountingWriter writer = CountingWriter.in(apiserver.cluster(), namespace);
        HttpClient http = HttpClient.newHttpClient()) {
      Subscriber before;
      try (SecuredGateway replaced = SecuredGateway.open(account, OPTIONS)) {
        before = Subscriber.open(replaced.with(token), request).begun();
        before.close();
      }
      try (SecuredGateway gateway =
              SecuredGateway.open(List.of(recording + file), account, OPTIONS);
          Subscriber fresh = Subscriber.open(gateway.with(token), request).begun();
          Subscriber later = before.resume(gateway.with(token));
          EventReader events =
              EventReader.open(
                  http,
                  kube(gateway, "/v1/watch?resource=configmaps&namespace=" + namespace),
                  "Authorization",
                  "Bearer " + token,
                  "traceparent",
                  TRACE);
          InputStream watch =
              http.send(
                      HttpRequest.newBuilder(
                              kube(
                                  gateway,
                                  "/api/v1/namespaces/"
                                      + namespace
                                      // From the cache: a watch from now on may be relayed.
                                      + "/configmaps?watch=1&resourceVersion=0"))
                          .header("Authorization", "Bearer " + ofApiserver)
                          .header("traceparent", TRACE)
                          .build(),
                      HttpResponse.BodyHandlers.ofInputStream())
                  .body()) {
        var _ = events.awaitFirst("synced");
        int written = writer.value();
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> later.fold().hasReached(writer.key(), written));
        await()
            .atMost(Subscriber.LIMIT)
            .untilAsserted(
                () ->
                    assertThat(apisOfTracedStreams(gateway, http))
                        .containsExactlyInAnyOrder("events", "kubernetes"));
        await().atMost(Subscriber.LIMIT).until(() -> tracedLines(gateway, "opened") == 2);
        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> gateway.metric("watchgate_grant_rechecks_total") >= 2);

        readers.rights().revoke(reader.grant());

        await().atMost(Subscriber.LIMIT).until(() -> fresh.isOver() && later.isOver());
        await().atMost(Subscriber.LIMIT).until(() -> gateway.metric("watchgate_streams") == 0);
        await().atMost(Subscriber.LIMIT).until(() -> tracedLines(gateway, "ended") == 2);
        assertThat(watch.readAllBytes()).isNotEmpty();
        eventsSent = gateway.metric("watchgate_events_sent_total");
        gateway.end();
      }
    }

    List<RecordedEvent> all = RecordingFile.readAllEvents(file);
    Map<String, List<RecordedEvent>> byName =
        all.stream()
            .filter(event -> event.getEventType().getName().startsWith("io.watchgate."))
            .collect(
                Collectors.groupingBy(
                    event -> event.getEventType().getName().substring("io.watchgate.".length())));
    assertThat(byName)
        .containsOnlyKeys("StreamOpened", "Snapshot", "StreamEnded", "List", "Backfill", "Recheck");
    String user = reader.account().user();
    assertThat(byName.get("StreamOpened"))
        .hasSize(4)
        .allSatisfy(
            event -> {
              assertThat(event.getString("user")).isEqualTo(user);
              assertThat(event.getString("type")).isEqualTo("configmaps");
            })
        .extracting(event -> event.getString("api") + " " + event.getString("traceparent"))
        .containsExactlyInAnyOrder("grpc ", "grpc ", "events " + TRACE, "kubernetes " + TRACE);
    assertThat(byName.get("Snapshot"))
        .allSatisfy(
            event -> {
              assertThat(event.getString("reason")).isEqualTo("requested");
              assertThat(event.getLong("objects")).isPositive();
              assertThat(event.getLong("bytes")).isPositive();
              assertThat(event.getDuration()).isPositive();
            })
        .extracting(event -> event.getString("client"))
        .contains("recorded");
    assertThat(byName.get("StreamEnded"))
        .hasSize(4)
        .allSatisfy(
            event -> {
              assertThat(event.getString("reason")).isEqualTo("access_changed");
              assertThat(event.getDuration("lasted"))
                  .isBetween(Duration.ofMillis(500), Duration.ofMinutes(10));
              assertThat(event.getLong("bytes")).isPositive();
            });
    assertThat(
            byName.getOrDefault("StreamEnded", List.of()).stream()
                .mapToLong(event -> event.getLong("events"))
                .sum())
        .isEqualTo((long) eventsSent)
        .isPositive();
    assertThat(byName.get("List"))
        .filteredOn(event -> event.getString("type").equals("configmaps"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("reason")).isEqualTo("initial");
              assertThat(event.getInt("objects")).isPositive();
              assertThat(event.getDuration()).isPositive();
            });
    assertThat(byName.get("Backfill"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("type")).isEqualTo("configmaps");
              assertThat(event.getString("outcome")).isEqualTo("reached");
              assertThat(event.getDuration()).isPositive();
            });
    assertThat(byName.get("Recheck"))
        .allSatisfy(event -> assertThat(event.getString("user")).isEqualTo(user))
        .extracting(event -> event.getString("outcome"))
        .contains("yes", "no");
    assertThat(all.toString()).doesNotContain(token, ofApiserver);
  }
}
