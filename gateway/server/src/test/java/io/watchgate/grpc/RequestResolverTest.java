package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.Selection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that no request is refused because of an outdated definition of a type. */
final class RequestResolverTest {
  private static final List<String> WATCHABLE = List.of("list", "watch");

  private final AtomicInteger rechecks = new AtomicInteger();

  private static TypeDefinition widgets(List<String> verbs, String... fields) {
    return new TypeDefinition(
        new ApiResource("x.io", "v1", "widgets", "Widget", ApiResource.Scope.NAMESPACED),
        "widget",
        List.of(),
        verbs,
        "u-1",
        List.of(fields));
  }

  private ResolvedRequest resolve(TypeDefinition known, TypeDefinition now, String fieldSelector)
      throws ApiException, InterruptedException {
    RequestResolver resolver =
        new RequestResolver(
            new ServedTypes(cluster(known, now), type -> false), ServedClusterId.of("c"));
    return resolver.resolve(
        Selection.newBuilder()
            .setResourceType(io.watchgate.proto.v1.ResourceType.newBuilder().setResource("widgets"))
            .setFieldSelector(fieldSelector)
            .build(),
        Projection.getDefaultInstance());
  }

  @Test
  void fieldThatBecameSelectable_isAccepted() throws Exception {
    TypeDefinition now = widgets(WATCHABLE, "spec.color");
    assertThat(resolve(widgets(WATCHABLE), now, "spec.color=red").definition()).isEqualTo(now);
    assertThat(rechecks).hasValue(1);
  }

  @Test
  void typeThatBecameWatchable_isAccepted() throws Exception {
    TypeDefinition now = widgets(WATCHABLE);
    assertThat(resolve(widgets(List.of("list")), now, "").definition()).isEqualTo(now);
  }

  @Test
  void unselectableField_isRefused() {
    TypeDefinition known = widgets(WATCHABLE);
    assertThatThrownBy(() -> resolve(known, known, "spec.color=red"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("spec.color");
  }

  @Test
  void requestIndependentOfTheDefinition_isNotRechecked() throws Exception {
    TypeDefinition known = widgets(WATCHABLE, "spec.color");
    assertThat(resolve(known, known, "spec.color=red").definition()).isEqualTo(known);
    assertThatThrownBy(() -> resolve(known, known, "color")).isInstanceOf(ApiException.class);
    assertThat(rechecks).hasValue(0);
  }

  /** Returns a cluster that knows one definition, and returns another one on a recheck. */
  private Cluster cluster(TypeDefinition known, TypeDefinition now) {
    return new Cluster() {
      @Override
      public Resolution resolve(TypeReference name) {
        return new Found(known);
      }

      @Override
      public Resolution recheck(TypeReference name) {
        rechecks.incrementAndGet();
        return new Found(now);
      }

      @Override
      public Resolution refresh(TypeReference name) {
        return new Found(now);
      }

      @Override
      public Listing types() {
        return new Listing(List.of(known), Map.of(), Optional.empty());
      }

      @Override
      public Upstream open(TypeDefinition definition) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
