package io.watchgate.e2e.access;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;
import java.util.List;

/**
 * One rule of a role. Without {@code names} it covers all objects.
 *
 * @param paths paths of pages; a rule about them has no groups, resources and names
 */
public record Rule(
    List<String> groups,
    List<String> resources,
    List<String> verbs,
    List<String> names,
    List<String> paths) {
  public Rule {
    groups = List.copyOf(groups);
    resources = List.copyOf(resources);
    verbs = List.copyOf(verbs);
    names = List.copyOf(names);
    paths = List.copyOf(paths);
  }

  /**
   * Returns the right to list and watch.
   *
   * @param resource of the core group, or with its group: {@code deployments.apps}
   */
  static Rule watching(String resource) {
    return verbs(resource, "list", "watch");
  }

  static Rule verbs(String resource, String... verbs) {
    int dot = resource.indexOf('.');
    String group = dot < 0 ? "" : resource.substring(dot + 1);
    String plural = dot < 0 ? resource : resource.substring(0, dot);
    return new Rule(List.of(group), List.of(plural), List.of(verbs), List.of(), List.of());
  }

  /** Returns the right to get pages. */
  static Rule pages(String... paths) {
    return new Rule(List.of(), List.of(), List.of("get"), List.of(), List.of(paths));
  }

  Rule named(String... only) {
    return new Rule(groups, resources, verbs, List.of(only), paths);
  }

  ObjectNode json() {
    ObjectNode json = Json.object();
    if (!paths.isEmpty()) {
      fill(json.putArray("nonResourceURLs"), paths);
      fill(json.putArray("verbs"), verbs);
      return json;
    }
    fill(json.putArray("apiGroups"), groups);
    fill(json.putArray("resources"), resources);
    fill(json.putArray("verbs"), verbs);
    if (!names.isEmpty()) {
      fill(json.putArray("resourceNames"), names);
    }
    return json;
  }

  private static void fill(ArrayNode array, List<String> values) {
    values.forEach(array::add);
  }
}
