package io.watchgate.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What is asked of the cluster, by what is wanted; a real apiserver reads them in {@code e2e}. */
final class ManifestsTest {
  private static String yaml(String tlsSecret, String... types) {
    return new Manifests(
            new Manifests.Wanted(
                "gate",
                "watching",
                "registry.example/watchgate:1",
                List.of(types).stream().map(ServedType::parse).toList(),
                3,
                "2Gi",
                "500m",
                8_000,
                tlsSecret))
        .yaml();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> document(String yaml, String kind) {
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
      Map<String, Object> object = (Map<String, Object>) document;
      if (kind.equals(object.get("kind"))) {
        return object;
      }
    }
    throw new AssertionError("no " + kind);
  }

  @Test
  void theRightsAreThoseOfTheTypesAndNoMore() {
    Map<String, Object> role =
        document(
            yaml("tls", "pods", "deployments.apps", "replicasets.apps", "pods"), "ClusterRole");

    assertThat(role.get("rules"))
        .isEqualTo(
            List.of(
                Map.of(
                    "apiGroups", List.of(""),
                    "resources", List.of("pods"),
                    "verbs", List.of("list", "watch")),
                Map.of(
                    "apiGroups", List.of("apps"),
                    "resources", List.of("deployments", "replicasets"),
                    "verbs", List.of("list", "watch")),
                Map.of(
                    "apiGroups", List.of("apiextensions.k8s.io"),
                    "resources", List.of("customresourcedefinitions"),
                    "verbs", List.of("get", "list")),
                Map.of(
                    "apiGroups", List.of(""),
                    "resources", List.of("namespaces"),
                    "resourceNames", List.of("kube-system"),
                    "verbs", List.of("get")),
                Map.of(
                    "apiGroups", List.of("authentication.k8s.io"),
                    "resources", List.of("tokenreviews"),
                    "verbs", List.of("create")),
                Map.of(
                    "apiGroups", List.of("authorization.k8s.io"),
                    "resources", List.of("subjectaccessreviews"),
                    "verbs", List.of("create")),
                Map.of(
                    "apiGroups", List.of("rbac.authorization.k8s.io"),
                    "resources",
                        List.of("roles", "rolebindings", "clusterroles", "clusterrolebindings"),
                    "verbs", List.of("list", "watch"))));
  }

  @Test
  void whoIsAskedNothingNeedsNobodysAnswers() {
    assertThat(yaml("", "pods"))
        .doesNotContain("tokenreviews", "subjectaccessreviews", "rolebindings,", "--token-review");
  }

  @Test
  void withoutASecretItIsSaidThatThisIsInsecure() {
    assertThat(yaml("", "pods")).contains("- --insecure").doesNotContain("/tls", "secretName");
    assertThat(yaml("tls", "pods"))
        .contains("- --tls-cert=/tls/tls.crt", "secretName: tls", "- --token-review")
        .doesNotContain("--insecure");
  }

  @Test
  void theAutoscalerLooksAtStreamsWhereThatIsWanted() {
    assertThat(yaml("tls", "pods")).contains("averageValue: \"8000\"");
  }

  @Test
  void noPlaceIsLeftOpen() {
    assertThat(yaml("tls", "pods")).doesNotContain("${").doesNotContain("\n\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Pods", "pods/status", "pods.", ".apps", "a b", "pods.apps/v1", "*"})
  void whatIsNoTypeIsRefused(String text) {
    assertThatThrownBy(() -> ServedType.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as pods or deployments.apps");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pods", "deployments.apps", "widgets.e2e.watchgate.io"})
  void aTypeIsWrittenAsItIsRead(String text) {
    assertThat(ServedType.parse(text)).hasToString(text);
  }
}
