package io.watchgate.e2e.promises;

import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.ProjectionSpec.View;
import io.watchgate.check.SelectionSpec;
import io.watchgate.check.SelectorRequirement;
import io.watchgate.check.SelectorRequirement.Operator;
import io.watchgate.informer.InformerBuilder;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ObjectView;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Selection and delivery of a judged informer.
 *
 * @param type its plural
 * @param group empty: the core group
 */
record InformerSelection(
    String type,
    String group,
    SelectionSpec query,
    ProjectionSpec projection,
    Consumer<InformerBuilder<?>> how) {
  /**
   * After three intervals of silence a stream is replaced; the interval is long enough for pauses
   * of the machine.
   */
  private static final Duration BOOKMARKS = Duration.ofSeconds(2);

  private static final ProjectionSpec METADATA = new ProjectionSpec(View.METADATA, List.of());

  /** Returns one of each kind, in these namespaces. */
  static List<InformerSelection> in(Set<String> namespaces) {
    SelectionSpec all = new SelectionSpec(namespaces, List.of(), List.of());
    return List.of(
        new InformerSelection("configmaps", "", all, ProjectionSpec.FULL, how -> {}),
        new InformerSelection("configmaps", "", all, ProjectionSpec.FULL, InformerBuilder::patches),
        new InformerSelection(
            "pods",
            "",
            new SelectionSpec(
                namespaces,
                List.of(
                    new SelectorRequirement("app", Operator.IN, Set.of("web", "api")),
                    new SelectorRequirement("canary", Operator.EXISTS_NOT, Set.of())),
                List.of()),
            ProjectionSpec.FULL,
            InformerBuilder::patches),
        new InformerSelection(
            "pods",
            "",
            new SelectionSpec(
                namespaces,
                List.of(),
                List.of(new SelectorRequirement("status.phase", Operator.IN, Set.of("Running")))),
            ProjectionSpec.FULL,
            how -> {}),
        new InformerSelection(
            "leases",
            "coordination.k8s.io",
            all,
            ProjectionSpec.FULL,
            how -> how.lagPolicy(LagPolicy.LAG_POLICY_CONFLATE)),
        new InformerSelection(
            "leases",
            "coordination.k8s.io",
            new SelectionSpec(
                namespaces,
                List.of(new SelectorRequirement("tier", Operator.IN, Set.of("1", "2"))),
                List.of()),
            METADATA,
            how -> how.view(ObjectView.OBJECT_VIEW_METADATA).patches()));
  }

  /** Returns the type's name in requests: with a dot and the group, if it has one. */
  String name() {
    return group.isEmpty() ? type : type + "." + group;
  }

  <T> InformerBuilder<T> ask(InformerBuilder<T> builder) {
    query.namespaces().forEach(builder::inNamespace);
    builder.withLabels(query.labelSelector()).withFields(query.fieldSelector());
    how.accept(builder.bookmarksEvery(BOOKMARKS));
    return builder;
  }

  @Override
  public String toString() {
    return "%s %s as %s".formatted(name(), query, projection);
  }
}
