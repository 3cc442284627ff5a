package io.watchgate.cli;

import io.watchgate.kube.AccessRight;
import io.watchgate.server.RequiredRights;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Rights that an account lacks, as YAML to paste and as one line. Immutable. */
record MissingRights(List<RequiredRights> missing) {
  private static final String NAME = "watchgate-missing";

  /** Discovery reads one document for each group version of an apiserver before 1.27. */
  private static final Map<String, List<String>> PATHS_BELOW =
      Map.of("/api", List.of("/api", "/api/*"), "/apis", List.of("/apis", "/apis/*"));

  MissingRights {
    missing = List.copyOf(missing);
  }

  /** Returns a ClusterRole, and a Role for each namespace, that grant exactly these rights. */
  String yaml() {
    Map<String, List<String>> rulesByNamespace = new LinkedHashMap<>();
    for (RequiredRights one : missing) {
      List<String> rules =
          rulesByNamespace.computeIfAbsent(namespace(one), namespace -> new ArrayList<>());
      rules.add("  # " + one.reason());
      rules.add(rule(one.rights()));
    }
    return rulesByNamespace.entrySet().stream()
        .map(entry -> role(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("---\n"));
  }

  private static String namespace(RequiredRights one) {
    return one.rights().getFirst() instanceof AccessRight.OnResource resource
        ? resource.namespace()
        : "";
  }

  private static String role(String namespace, List<String> rules) {
    boolean everywhere = namespace.isEmpty();
    return """
    # Bind it to the account of the gateway:
    # kubectl create %s %s --%s=%s%s --serviceaccount=NAMESPACE:ACCOUNT
    apiVersion: rbac.authorization.k8s.io/v1
    kind: %s
    metadata: {name: %s%s}
    rules:
    %s
    """
        .formatted(
            everywhere ? "clusterrolebinding" : "rolebinding",
            NAME,
            everywhere ? "clusterrole" : "role",
            NAME,
            everywhere ? "" : " --namespace=" + namespace,
            everywhere ? "ClusterRole" : "Role",
            NAME,
            everywhere ? "" : ", namespace: " + namespace,
            String.join("\n", rules));
  }

  private static String rule(List<AccessRight> rights) {
    String verbs =
        rights.stream().map(AccessRight::verb).distinct().collect(Collectors.joining(", "));
    return switch (rights.getFirst()) {
      case AccessRight.OnResource on ->
          "  - {apiGroups: [\"%s\"], resources: [%s]%s, verbs: [%s]}"
              .formatted(
                  on.group(),
                  on.resource(),
                  on.name().isEmpty() ? "" : ", resourceNames: [" + on.name() + "]",
                  verbs);
      case AccessRight.OnPath _ ->
          "  - {nonResourceURLs: [%s], verbs: [%s]}".formatted(quotedPaths(rights), verbs);
    };
  }

  private static String quotedPaths(List<AccessRight> rights) {
    return rights.stream()
        .filter(AccessRight.OnPath.class::isInstance)
        .map(AccessRight.OnPath.class::cast)
        .flatMap(on -> PATHS_BELOW.getOrDefault(on.path(), List.of(on.path())).stream())
        .map(path -> '"' + path + '"')
        .collect(Collectors.joining(", "));
  }

  /** Returns the rights for a log line: {@code list, watch pods; get namespaces "kube-system"}. */
  String line() {
    return missing.stream().map(MissingRights::words).collect(Collectors.joining("; "));
  }

  private static String words(RequiredRights one) {
    String verbs =
        one.rights().stream().map(AccessRight::verb).distinct().collect(Collectors.joining(", "));
    return verbs
        + " "
        + switch (one.rights().getFirst()) {
          case AccessRight.OnResource on ->
              (on.group().isEmpty() ? on.resource() : on.resource() + "." + on.group())
                  + (on.name().isEmpty() ? "" : " \"" + on.name() + "\"")
                  + (on.namespace().isEmpty() ? "" : " in the namespace " + on.namespace());
          case AccessRight.OnPath _ -> quotedPaths(one.rights());
        };
  }
}
