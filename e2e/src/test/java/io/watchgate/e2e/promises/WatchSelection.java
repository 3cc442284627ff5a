package io.watchgate.e2e.promises;

import io.watchgate.check.SelectionSpec;
import io.watchgate.check.SelectorRequirement;
import io.watchgate.check.SelectorRequirement.Operator;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Selection of a judged watch.
 *
 * @param type its plural
 * @param group empty: the core group
 * @param selected at most one namespace
 */
record WatchSelection(String type, String group, SelectionSpec selected) {
  /** Returns one of each kind. */
  static List<WatchSelection> in(List<String> namespaces) {
    SelectionSpec inOne = new SelectionSpec(Set.of(namespaces.getFirst()), List.of(), List.of());
    SelectionSpec labelled =
        new SelectionSpec(
            Set.of(),
            List.of(
                new SelectorRequirement("app", Operator.IN, Set.of("web", "api")),
                new SelectorRequirement("canary", Operator.EXISTS_NOT, Set.of())),
            List.of());
    SelectionSpec running =
        new SelectionSpec(
            Set.of(),
            List.of(),
            List.of(new SelectorRequirement("status.phase", Operator.IN, Set.of("Running"))));
    return List.of(
        new WatchSelection("configmaps", "", SelectionSpec.EVERYTHING),
        new WatchSelection("configmaps", "", inOne),
        new WatchSelection("pods", "", labelled),
        new WatchSelection("pods", "", running),
        new WatchSelection("leases", "coordination.k8s.io", labelled));
  }

  /** Returns the path of the collection. */
  String path() {
    String root = group.isEmpty() ? "/api/v1/" : "/apis/" + group + "/v1/";
    String below =
        selected.namespaces().stream()
            .findFirst()
            .map(namespace -> "namespaces/" + namespace + "/")
            .orElse("");
    return root + below + type;
  }

  /** Returns the selectors as the beginning of a query. */
  String query() {
    return "?labelSelector="
        + encoded(selected.labelSelector())
        + "&fieldSelector="
        + encoded(selected.fieldSelector());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "%s %s over HTTP".formatted(type, selected);
  }
}
