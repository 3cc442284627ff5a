package io.watchgate.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.watchgate.cache.Revision;
import io.watchgate.cache.UpstreamState.ReflectorPhase;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ApiPath;
import io.watchgate.http.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the complete sandbox: initial objects, maintenance, limits. */
final class SandboxTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String EVENTS = "/api/v1/namespaces/default/events";
  private static final String NEW_EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";
  private static final String EVENT =
      """
      {"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default"},
       "message":"m","source":{"component":"c"}}\
      """;

  @Test
  void newSandbox_hasNamespacesOfEveryCluster() {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
        JsonObject namespace = sandbox.get("/api/v1/namespaces/" + name);
        assertThat(JsonTree.text(namespace, "status", "phase")).isEqualTo("Active");
        assertThat(JsonTree.text(namespace, "metadata", "uid")).matches("[0-9a-f-]{36}");
      }
    }
  }

  @Test
  void theSameSeedGivesTheSameUidsAndNames() throws StatusException {
    String nameless = "{\"metadata\":{\"generateName\":\"a-\"}}";
    try (SandboxUnderTest one = new SandboxUnderTest();
        SandboxUnderTest other = new SandboxUnderTest()) {
      JsonObject made = one.post(MAPS, nameless);
      assertThat(JsonTree.text(made, "metadata", "name")).matches("a-[b-z2-9]{5}");
      assertThat(other.post(MAPS, nameless)).isEqualTo(made);
      assertThat(one.post(MAPS, nameless)).isNotEqualTo(made);
    }
  }

  @Test
  void event_expiresOneHourAfterLastWrite() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      sandbox.post(EVENTS, EVENT);
      sandbox.advance(Duration.ofMinutes(50));
      sandbox.merge(EVENTS + "/e", "{\"count\":2}");
      sandbox.advance(Duration.ofMinutes(50));
      assertThat(sandbox.has(EVENTS + "/e")).isTrue();
      sandbox.advance(Duration.ofMinutes(11));
      assertThat(sandbox.has(EVENTS + "/e")).isFalse();
      assertThat(sandbox.has(NEW_EVENTS + "/e")).isFalse();
    }
  }

  @Test
  void event_isServedInBothGroups() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      sandbox.post(EVENTS, EVENT);
      JsonObject shown = sandbox.get(NEW_EVENTS + "/e");
      assertThat(JsonTree.text(shown, "apiVersion")).isEqualTo("events.k8s.io/v1");
      assertThat(JsonTree.text(shown, "note")).isEqualTo("m");
      assertThat(JsonTree.text(shown, "regarding", "kind")).isEqualTo("Pod");
      assertThat(JsonTree.text(shown, "deprecatedSource", "component")).isEqualTo("c");
      sandbox.merge(NEW_EVENTS + "/e", "{\"note\":\"n\"}");
      assertThat(JsonTree.text(sandbox.get(EVENTS + "/e"), "message")).isEqualTo("n");
    }
  }

  @Test
  void unchangedType_advancesOnRefreshAndPeriodically() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      String secrets = "/api/v1/namespaces/default/secrets";
      JsonObject map = sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\"}}");
      String version = JsonTree.text(map, "metadata", "resourceVersion");
      assertThat(sandbox.head(secrets).version().digits()).isNotEqualTo(version);

      var _ = sandbox.source(ApiPath.parse(secrets).orElseThrow()).cache().proveFresh();
      assertThat(sandbox.head(secrets).version().digits()).isEqualTo(version);

      Revision leases = sandbox.head("/apis/coordination.k8s.io/v1/leases");
      sandbox.advance(Duration.ofSeconds(30));
      assertThat(Objects.requireNonNull(leases.next()).version().digits()).isEqualTo(version);
    }
  }

  @Test
  void fullSandbox_refusesOnlyGrowingWrites() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest(20_000)) {
      String large =
          "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"k\":\"" + "x".repeat(10_000) + "\"}}";
      sandbox.post(MAPS, large.formatted("a"));
      Revision before = sandbox.head(MAPS);
      assertThatThrownBy(() -> sandbox.post(MAPS, large.formatted("b")))
          .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(507))
          .hasMessage(
              "the sandbox is full: it keeps at most 20000 bytes of objects; delete some, or start"
                  + " it with a larger heap");
      assertThat(sandbox.head(MAPS)).isSameAs(before);
      sandbox.merge(MAPS + "/a", "{\"data\":{\"k\":\"less\"}}");
      sandbox.post(MAPS, large.formatted("b"));
    }
  }

  @Test
  void fullSandbox_objectWithFinalizer_isMarkedAndRemoved() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest(20_000)) {
      sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x.io/a\"]}}");
      fill(sandbox);
      sandbox.delete(MAPS + "/a");
      assertThat(JsonTree.has(sandbox.get(MAPS + "/a"), "metadata", Metadata.DELETED)).isTrue();
      sandbox.merge(MAPS + "/a", "{\"metadata\":{\"finalizers\":null}}");
      assertThat(sandbox.has(MAPS + "/a")).isFalse();
    }
  }

  /** Writes until not one byte more has room. */
  private static void fill(SandboxUnderTest sandbox) throws StatusException {
    sandbox.post(MAPS, "{\"metadata\":{\"name\":\"filler\"},\"data\":{\"k\":\"x\"}}");
    int length = 0;
    for (int step = 1 << 14; step > 0; step /= 2) {
      try {
        sandbox.merge(MAPS + "/filler", "{\"data\":{\"k\":\"" + "x".repeat(length + step) + "\"}}");
        length += step;
      } catch (StatusException e) {
        assertThat(e.code()).isEqualTo(507);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"type\":\"ExternalName\",\"externalName\":\"a.example\"}', ClusterIP, true, false",
    "'{\"type\":\"ExternalName\",\"externalName\":\"a.example\"}', NodePort, true, true",
    "'{\"type\":\"ClusterIP\",\"ports\":[{\"port\":80}]}', LoadBalancer, true, true",
  })
  void updatedService_hasAnAddressAndNodePortsOfItsType(
      String before, String type, boolean address, boolean nodePort) throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      String services = "/api/v1/namespaces/default/services";
      JsonObject old =
          sandbox.post(services, "{\"metadata\":{\"name\":\"a\"},\"spec\":" + before + "}");
      JsonObject now =
          sandbox.merge(
              services + "/a", "{\"spec\":{\"type\":\"" + type + "\",\"ports\":[{\"port\":80}]}}");
      assertThat(JsonTree.text(now, "spec", "clusterIP").startsWith("10.")).isEqualTo(address);
      JsonObject port = JsonTree.objects(now, "spec", "ports").getFirst();
      assertThat(JsonTree.number(port, 0, "nodePort") >= 30_000).isEqualTo(nodePort);
      String held = JsonTree.text(old, "spec", "clusterIP");
      assertThat(JsonTree.text(now, "spec", "clusterIP")).startsWith(held);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"five\"", "2.5", "3000000000"})
  void scaleByPatch_invalidReplicas_areRefused(String replicas) throws StatusException {
    String deployments = "/apis/apps/v1/namespaces/default/deployments";
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      sandbox.post(
          deployments,
          """
          {"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
           "template":{"metadata":{"labels":{"a":"b"}},
                       "spec":{"containers":[{"name":"c","image":"i"}]}}}}\
          """);
      String patch = "{\"spec\":{\"replicas\":" + replicas + "}}";
      assertThatThrownBy(() -> sandbox.merge(deployments + "/d/scale", patch))
          .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(422));
      JsonObject kept = sandbox.get(deployments + "/d");
      assertThat(JsonTree.number(kept, 0, "spec", "replicas")).isEqualTo(2);
    }
  }

  @Test
  void secret_mayHaveLineBreaksInBase64_butNeedsItsPadding() throws StatusException {
    String secrets = "/api/v1/namespaces/default/secrets";
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      JsonObject made =
          sandbox.post(
              secrets, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"YWJj\\nZGVm\\n\"}}");
      assertThat(JsonTree.text(made, "data", "k")).isEqualTo("YWJjZGVm");
      assertThatThrownBy(
              () ->
                  sandbox.post(secrets, "{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":\"YWI\"}}"))
          .hasMessageContaining("illegal base64 data");
    }
  }

  @Test
  void aDryRunChangesNothing() throws StatusException {
    try (SandboxUnderTest sandbox = new SandboxUnderTest()) {
      sandbox.post(MAPS, "{\"metadata\":{\"name\":\"a\"}}");
      Revision before = sandbox.head(MAPS);
      sandbox.post(MAPS + "?dryRun=All", "{\"metadata\":{\"name\":\"b\"}}");
      sandbox.merge(MAPS + "/a?dryRun=All", "{\"data\":{\"k\":\"v\"}}");
      sandbox.delete(MAPS + "/a?dryRun=All");
      assertThat(sandbox.head(MAPS)).isSameAs(before);
    }
  }

  @Test
  void close_endsEveryWatch() {
    SandboxUnderTest sandbox = new SandboxUnderTest();
    WatchCache maps = sandbox.cache(MAPS);
    sandbox.close();
    assertThat(maps.upstreamState().phase()).isEqualTo(ReflectorPhase.GONE);
  }
}
