package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeReference;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DiscoveredTypesTest {
  private static final DiscoveredTypes CATALOG =
      new DiscoveredTypes(
          List.of(
              type("", "v1", "pods", "Pod", "pod", "po"),
              type("", "v1", "events", "Event", "event", "ev"),
              type("", "v1", "services", "Service", "service", "svc"),
              type("", "v1", "configmaps", "ConfigMap", "configmap", "cm"),
              type("apps", "v1", "deployments", "Deployment", "deployment", "deploy"),
              type("events.k8s.io", "v1", "events", "Event", "event", "ev"),
              type(
                  "autoscaling",
                  "v2",
                  "horizontalpodautoscalers",
                  "HorizontalPodAutoscaler",
                  "",
                  "hpa"),
              type(
                  "autoscaling",
                  "v1",
                  "horizontalpodautoscalers",
                  "HorizontalPodAutoscaler",
                  "",
                  "hpa"),
              type("example.com", "v1", "widgets", "Widget", "widget", "po"),
              type("other.com", "v1beta1", "services", "Service", "service", "svc"),
              type("zoo.com", "v1", "svc", "Animal", "animal", "zoo")),
          Set.of("broken.io"));

  private static DiscoveredType type(
      String group, String version, String plural, String kind, String singular, String shortName) {
    return new DiscoveredType(
        new ApiResource(group, version, plural, kind, ApiResource.Scope.NAMESPACED),
        singular,
        List.of(shortName),
        List.of("list", "watch"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', pods, pods/v1",
    "'', '', pod, pods/v1",
    "'', '', Pod, pods/v1",
    "'', '', PODS, pods/v1",
    "'', '', po, pods/v1",
    "'', '', v1/pods, pods/v1",
    "'', '', pods.v1, pods/v1",
    "'', v1, pods, pods/v1",
    // The core group before others, then the apiserver's order.
    "'', '', events, events/v1",
    "'', '', ev, events/v1",
    "'', '', Service, services/v1",
    // A plural before another's short name, as in kubectl.
    "'', '', svc, svc.zoo.com/v1",
    "'', '', deploy, deployments.apps/v1",
    "'', '', Deployment, deployments.apps/v1",
    "'', '', deployments.apps, deployments.apps/v1",
    "'', '', deployments.v1.apps, deployments.apps/v1",
    "'', '', apps/v1/deployments, deployments.apps/v1",
    "'', '', apps/deployments, deployments.apps/v1",
    "apps, '', deploy, deployments.apps/v1",
    "apps, v1, Deployment, deployments.apps/v1",
    "'', '', events.events.k8s.io, events.events.k8s.io/v1",
    "'', '', events.v1.events.k8s.io, events.events.k8s.io/v1",
    "events.k8s.io, '', event, events.events.k8s.io/v1",
    "'', '', svc.other.com, services.other.com/v1beta1",
    // The version that the group prefers, or that which is asked for.
    "'', '', hpa, horizontalpodautoscalers.autoscaling/v2",
    "autoscaling, '', hpa, horizontalpodautoscalers.autoscaling/v2",
    "autoscaling, v1, hpa, horizontalpodautoscalers.autoscaling/v1",
    "'', '', autoscaling/v1/hpa, horizontalpodautoscalers.autoscaling/v1",
    "example.com, v1, po, widgets.example.com/v1",
  })
  void name_isFoundInAnyForm(String group, String version, String name, String found) {
    assertThat(CATALOG.find(new TypeReference(group, version, name)))
        .isNotNull()
        .extracting(type -> type.type().toString())
        .isEqualTo(found);
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', pots, pods",
    "'', '', podz, pods",
    "'', '', opds, pods",
    "'', '', deploymnets, deployments.apps",
    "'', '', confgmaps, configmaps",
    "'', '', deployments.extensions, deployments.apps",
    "extensions, v1, deployments, deployments.apps",
    "'', v1, deployments, deployments.apps",
    "'', '', servces, services;services.other.com",
    "'', '', eventss, events;events.events.k8s.io",
    "'', '', xyzzy, ''",
    "'', '', '', ''",
    "'', '', /, ''",
    "'', '', ., ''",
    "'', '', a/b/c/d, ''",
  })
  void unknownName_returnsSimilarNames(String group, String version, String name, String near) {
    TypeReference unknown = new TypeReference(group, version, name);
    assertThat(CATALOG.find(unknown)).isNull();
    assertThat(String.join(";", CATALOG.similarNames(unknown))).isEqualTo(near);
  }

  /** The search for near names is slow for long ones. */
  @Test
  void nearNames_areNotSearchedForLongNames() {
    String longest = "x".repeat(63);
    DiscoveredTypes types =
        new DiscoveredTypes(
            List.of(type("a.io", "v1", longest.substring(1) + "y", "Long", "", "lo")), Set.of());
    assertThat(types.similarNames(new TypeReference("", "", longest))).hasSize(1);
    assertThat(types.similarNames(new TypeReference("", "", longest + "x"))).isEmpty();
  }

  @Test
  void typeOfSilentGroup_isNotUnknown() {
    assertThat(CATALOG.mayBeInSilentGroup(new TypeReference("broken.io", "v1", "x"))).isTrue();
    assertThat(CATALOG.mayBeInSilentGroup(new TypeReference("", "", "x.broken.io"))).isTrue();
    assertThat(CATALOG.mayBeInSilentGroup(new TypeReference("", "", "broken.io/v1/x"))).isTrue();
    assertThat(CATALOG.mayBeInSilentGroup(new TypeReference("", "", "x"))).isFalse();
  }

  @Test
  void preferred_hasEachTypeOnce() {
    assertThat(CATALOG.preferred()).hasSize(CATALOG.types().size() - 1);
    assertThat(CATALOG.preferred())
        .extracting(type -> type.type().toString())
        .contains("horizontalpodautoscalers.autoscaling/v2")
        .doesNotContain("horizontalpodautoscalers.autoscaling/v1");
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', 0",
    "a, '', 1",
    "abc, abc, 0",
    "abc, acb, 1",
    "kitten, sitting, 3",
    "ab, ba, 1"
  })
  void editDistance_countsEdits(String a, String b, int distance) {
    assertThat(EditDistance.between(a, b)).isEqualTo(distance);
    assertThat(EditDistance.between(b, a)).isEqualTo(distance);
  }
}
