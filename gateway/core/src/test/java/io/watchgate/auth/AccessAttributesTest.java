package io.watchgate.auth;

import static io.watchgate.auth.AccessAttributes.Verb.LIST;
import static io.watchgate.auth.AccessAttributes.Verb.WATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the accesses that a selection needs. */
final class AccessAttributesTest {
  private static final ApiResource PODS =
      new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED);
  private static final ApiResource NODES =
      new ApiResource("", "v1", "nodes", "Node", ApiResource.Scope.CLUSTER);
  private static final ApiResource WIDGETS =
      new ApiResource("x.io", "v1", "widgets", "Widget", ApiResource.Scope.NAMESPACED);

  static CompiledSelection selection(
      ApiResource type, List<String> namespaces, String labels, String fields) {
    TypeDefinition definition =
        new TypeDefinition(type, "", List.of(), List.of("list", "watch"), "", List.of());
    try {
      return CompiledSelection.of(SelectableFields.of(definition), namespaces, labels, fields);
    } catch (SelectionException e) {
      throw new AssertionError(e);
    }
  }

  private static List<AccessAttributes> needed(CompiledSelection selection) {
    return AccessAttributes.of(selection, List.of(LIST, WATCH));
  }

  private static AccessAttributes.ResourceAccess first(CompiledSelection selection) {
    return (AccessAttributes.ResourceAccess) needed(selection).getFirst();
  }

  @Test
  void withoutNamespace_needsListAndWatchOfCluster() {
    assertThat(needed(selection(PODS, List.of(), "", "")))
        .containsExactly(
            new AccessAttributes.ResourceAccess(PODS, LIST, "", "", List.of(), List.of()),
            new AccessAttributes.ResourceAccess(PODS, WATCH, "", "", List.of(), List.of()));
    assertThat(needed(selection(NODES, List.of(), "", "")))
        .extracting(AccessAttributes::text)
        .containsExactly("list nodes in the whole cluster", "watch nodes in the whole cluster");
  }

  @Test
  void eachNamespace_isReviewedOnce() {
    List<String> namespaces = IntStream.range(0, 64).mapToObj(i -> "n" + i).toList();

    assertThat(needed(selection(WIDGETS, namespaces, "", "")))
        .hasSize(128)
        .doesNotHaveDuplicates()
        .allSatisfy(
            access ->
                assertThat(((AccessAttributes.ResourceAccess) access).namespace()).startsWith("n"));
    assertThat(needed(selection(WIDGETS, List.of("b", "a", "b"), "", "")))
        .extracting(AccessAttributes::text)
        .containsExactly(
            "list widgets.x.io in the namespace \"a\"",
            "watch widgets.x.io in the namespace \"a\"",
            "list widgets.x.io in the namespace \"b\"",
            "watch widgets.x.io in the namespace \"b\"");
  }

  @Test
  void namespaceField_doesNotNarrow() {
    assertThat(first(selection(PODS, List.of(), "", "metadata.namespace=a")).namespace()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          metadata.name=web | web
          metadata.name==web | web
          metadata.name=web,metadata.name=web | web
          spec.nodeName=n,metadata.name=web,status.phase!=Running | web
          metadata.name=web,metadata.name!=db | web
          metadata.name=web,metadata.name=db | ''
          metadata.name!=web | ''
          metadata.name= | ''
          metadata.name=. | ''
          metadata.name=.. | ''
          metadata.name=a/b | ''
          metadata.name=a%2fb | ''
          metadata.name=... | ...
          spec.nodeName=web | ''
          """)
  void nameField_isUsedAsApiserverDoes(String fields, String name) {
    CompiledSelection selection = selection(PODS, List.of("a"), "", fields);

    assertThat(needed(selection))
        .hasSize(2)
        .allSatisfy(
            access ->
                assertThat(((AccessAttributes.ResourceAccess) access).name()).isEqualTo(name));
    assertThat(first(selection).fields()).isEqualTo(selection.fields().requirements());
  }

  @Test
  void selectors_arePartOfTheReview() {
    CompiledSelection selection =
        selection(PODS, List.of("a"), "app in (x,y),!z", "spec.nodeName=n");

    assertThat(first(selection).labels()).hasSize(2).isEqualTo(selection.labels().requirements());
    assertThat(first(selection).fields()).hasSize(1).isEqualTo(selection.fields().requirements());
    assertThat(first(selection(PODS, List.of("a"), "", "metadata.name=w")).text())
        .isEqualTo("list pods in the namespace \"a\", by the name \"w\"");
  }

  @Test
  void page_isReviewedByPath() {
    assertThat(new AccessAttributes.NonResourceAccess("/metrics").text()).isEqualTo("get /metrics");
  }
}
