package io.watchgate.cli.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** RBAC rules of a role, as YAML: the right to read types, and the other rights of a gateway. */
final class RbacRules {
  private final StringBuilder yaml = new StringBuilder();

  private RbacRules() {}

  /** Returns the rules for exactly these types. */
  static String ofTypes(List<RbacResource> types) {
    return new RbacRules().addTypes(types).yaml();
  }

  /**
   * Returns the rules for exactly the objects that the account of a gateway reads.
   *
   * @param authenticates whether the gateway reviews its callers
   */
  static String ofAccount(List<RbacResource> types, boolean authenticates) {
    RbacRules rules = new RbacRules().addTypes(types);
    rules.addComment(
        "Uid and selectable fields of custom resources. Always needed: clients list all types of"
            + " the cluster.");
    rules.add("apiextensions.k8s.io", "customresourcedefinitions", "get, list");
    rules.addComment("Its uid identifies the cluster in tokens.");
    rules.add("", "namespaces", "get", ", resourceNames: [kube-system]");
    if (authenticates) {
      rules.addComment("Reviews of subscribers' tokens and permissions.");
      rules.add("authentication.k8s.io", "tokenreviews", "create");
      rules.add("authorization.k8s.io", "subjectaccessreviews", "create");
      rules.addComment("To end streams at once when a permission is revoked.");
      rules.add(
          "rbac.authorization.k8s.io",
          "roles, rolebindings, clusterroles, clusterrolebindings",
          "list, watch");
    }
    return rules.yaml();
  }

  private RbacRules addTypes(List<RbacResource> types) {
    Map<String, List<String>> groups = new TreeMap<>();
    types.forEach(
        type ->
            groups.computeIfAbsent(type.group(), group -> new ArrayList<>()).add(type.plural()));
    groups.forEach((group, plurals) -> add(group, String.join(", ", plurals), "list, watch"));
    return this;
  }

  private void addComment(String text) {
    yaml.append("  # ").append(text).append('\n');
  }

  private void add(String group, String plurals, String verbs) {
    add(group, plurals, verbs, "");
  }

  /**
   * Adds a rule.
   *
   * @param names restriction to objects of these names; empty: all
   */
  private void add(String group, String plurals, String verbs, String names) {
    yaml.append(
        "  - {apiGroups: [\"%s\"], resources: [%s]%s, verbs: [%s]}\n"
            .formatted(group, plurals, names, verbs));
  }

  private String yaml() {
    return yaml.toString().stripTrailing();
  }
}
