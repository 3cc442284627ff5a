package io.watchgate.e2e.kubeapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Test of a paged list, after a case of the Kubernetes conformance suite: its version is compacted
 * between two pages, and the list continues after the last key. The apiserver or a gateway serves
 * each page.
 */
@WithApiserver
@Tag("thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CompactedChunksTest {
  private static final int OBJECTS = 10;

  private Apiserver apiserver;
  private ProxiedApiserver both;

  @BeforeAll
  void start(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own) {
    apiserver = own;
    both = ProxiedApiserver.start(own);
    var _ = both.proxied().list(Resource.CONFIGMAPS, "default", Map.of("resourceVersion", "0"));
    await()
        .atMost(Duration.ofMinutes(3))
        .until(() -> both.metrics().sum("watchgate_synced", "type=\"configmaps\"") == 1);
  }

  @AfterAll
  void stop() {
    both.close();
  }

  private void create(String namespace, String name) {
    both.direct()
        .create(
            Resource.CONFIGMAPS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"}}
                """
                    .formatted(namespace, name)));
  }

  @ParameterizedTest
  @CsvSource({
    "APISERVER, APISERVER, at-apiserver",
    "APISERVER, GATEWAY, to-gateway",
    "GATEWAY, APISERVER, to-apiserver",
    "GATEWAY, GATEWAY, at-gateway"
  })
  void chunks_goOnAfterACompaction(
      ProxiedApiserver.Server first, ProxiedApiserver.Server later, String namespace) {
    both.direct().createNamespace(namespace);
    IntStream.range(0, OBJECTS).forEach(i -> create(namespace, "c" + i));
    JsonNode page = both.at(first).list(Resource.CONFIGMAPS, namespace, Map.of("limit", "4"));
    List<String> names = new ArrayList<>(names(page));
    assertThat(names).hasSize(4);
    String version = version(page);
    create(namespace, "c98"); // a compaction keeps the newest version
    create(namespace, "c99");
    var _ = apiserver.compact();

    Cluster.Reply next = next(later, namespace, page.at("/metadata/continue").textValue());
    boolean expired = next.code() == 410;
    if (expired) {
      JsonNode status = Json.parse(next.body());
      assertThat(status.get("reason").textValue()).isEqualTo("Expired");
      next = next(later, namespace, status.at("/metadata/continue").textValue());
    }
    Set<String> versions = new HashSet<>();
    while (true) {
      assertThat(next.code()).as(next.body()).isEqualTo(200);
      page = Json.parse(next.body());
      names.addAll(names(page));
      versions.add(version(page));
      String more = page.at("/metadata/continue").asText();
      if (more.isEmpty()) {
        break;
      }
      next = next(later, namespace, more);
    }
    assertThat(names).doesNotHaveDuplicates();
    assertThat(names)
        .containsAll(IntStream.range(0, OBJECTS).mapToObj(i -> "c" + i).toList())
        .hasSize(expired ? OBJECTS + 2 : OBJECTS);
    if (!expired) {
      assertThat(versions).containsExactly(version);
    }
  }

  private Cluster.Reply next(ProxiedApiserver.Server server, String namespace, String token) {
    assertThat(token).isNotEmpty();
    return both.at(server)
        .send(
            "GET",
            "/api/v1/namespaces/" + namespace + "/configmaps?limit=4&continue=" + token,
            "application/json",
            "",
            "");
  }

  private static List<String> names(JsonNode page) {
    List<String> names = new ArrayList<>();
    page.get("items").forEach(item -> names.add(item.at("/metadata/name").textValue()));
    return names;
  }

  private static String version(JsonNode page) {
    return page.at("/metadata/resourceVersion").textValue();
  }
}
