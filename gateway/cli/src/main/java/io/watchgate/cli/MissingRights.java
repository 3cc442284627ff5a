package io.watchgate.cli;

import com.google.gson.JsonPrimitive;
import io.watchgate.kube.AccessRight;
import io.watchgate.server.RequiredRights;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rights that an account lacks, as YAML to apply and as one line. Immutable.
 *
 * @param account user name of the account; empty if it is unknown
 */
record MissingRights(Optional<String> account, List<RequiredRights> missing) {
  private static final String RBAC = "rbac.authorization.k8s.io";
  private static final Pattern SERVICE_ACCOUNT =
      Pattern.compile("system:serviceaccount:([-a-z0-9]+):([-.a-z0-9]+)");

  /** Discovery reads one document for each group version of an apiserver before 1.27. */
  private static final Map<String, List<String>> PATHS_BELOW =
      Map.of("/api", List.of("/api", "/api/*"), "/apis", List.of("/apis", "/apis/*"));

  MissingRights {
    missing = List.copyOf(missing);
  }

  /**
   * Returns a ClusterRole, and a Role for each namespace, that grant exactly these rights, each
   * with its binding to the account.
   */
  String yaml() {
    Map<String, Map<String, List<String>>> rulesByNamespace = new LinkedHashMap<>();
    for (RequiredRights one : missing) {
      rulesByNamespace
          .computeIfAbsent(namespace(one), namespace -> new LinkedHashMap<>())
          .computeIfAbsent(one.reason(), reason -> new ArrayList<>())
          .add(rule(one.rights()));
    }
    return rulesByNamespace.entrySet().stream()
        .map(entry -> role(entry.getKey(), rules(entry.getValue())))
        .collect(Collectors.joining("---\n"));
  }

  private static String rules(Map<String, List<String>> rulesByReason) {
    return rulesByReason.entrySet().stream()
        .map(entry -> "  # " + entry.getKey() + "\n" + String.join("\n", entry.getValue()))
        .collect(Collectors.joining("\n"));
  }

  private static String namespace(RequiredRights one) {
    return one.rights().getFirst() instanceof AccessRight.OnResource resource
        ? resource.namespace()
        : "";
  }

  private String role(String namespace, String rules) {
    String kind = namespace.isEmpty() ? "ClusterRole" : "Role";
    // The name depends on the account and its rules, so that those of another run are added to
    // these, and neither replaces the other's.
    String name = "watchgate-missing-" + Integer.toHexString((account + rules).hashCode());
    String metadata =
        "metadata: {name: %s%s}"
            .formatted(name, namespace.isEmpty() ? "" : ", namespace: " + quoted(namespace));
    return """
    apiVersion: %s/v1
    kind: %s
    %s
    rules:
    %s
    ---
    apiVersion: %s/v1
    kind: %sBinding
    %s
    roleRef: {apiGroup: %s, kind: %s, name: %s}
    subjects:
      - %s
    """
        .formatted(RBAC, kind, metadata, rules, RBAC, kind, metadata, RBAC, kind, name, subject());
  }

  private String subject() {
    if (account.isEmpty()) {
      return "{kind: ServiceAccount, namespace: NAMESPACE, name: ACCOUNT} # the gateway's account";
    }
    Matcher serviceAccount = SERVICE_ACCOUNT.matcher(account.get());
    return serviceAccount.matches()
        ? "{kind: ServiceAccount, namespace: %s, name: %s}"
            .formatted(quoted(serviceAccount.group(1)), quoted(serviceAccount.group(2)))
        : "{apiGroup: %s, kind: User, name: %s}".formatted(RBAC, quoted(account.get()));
  }

  /** A name such as 123 or on would be no text in YAML. */
  private static String quoted(String name) {
    return new JsonPrimitive(name).toString();
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
