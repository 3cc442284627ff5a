package io.watchgate.cli;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeReference;
import io.watchgate.cli.doctor.ApiserverCheck;
import io.watchgate.cli.doctor.FeatureCheck;
import io.watchgate.cli.doctor.Finding;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.kube.ClientConfig;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeSettings;
import io.watchgate.server.Preflight;
import io.watchgate.server.RequiredRights;
import io.watchgate.server.RightsScope;
import io.watchgate.server.RightsScope.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Findings of {@code doctor --check-apiserver}: the way to the apiserver, the rights of the
 * account, and the features that a gateway uses.
 */
record ApiserverFindings(ClientConfig config, RightsScope scope) {
  private static final String GRANT =
      "Grant it: 'watchgate serve --check' with the options of the gateway prints the YAML.";

  /** Type that each cluster has, for the features if no type is named. */
  private static final TypeReference USUAL = new TypeReference("", "v1", "namespaces");

  /** Returns all findings; those after the way to the apiserver only if it has no problem. */
  List<Finding> all() throws InterruptedException {
    try (ApiserverCheck way = new ApiserverCheck(config)) {
      List<Finding> findings = new ArrayList<>(way.findings());
      if (!Finding.hasProblem(findings)) {
        addRights(findings);
        addFeatures(way, findings);
      }
      return findings;
    } catch (ConfigException e) {
      return List.of(unusable(e));
    }
  }

  /** Returns the finding about a kubeconfig that cannot be used. */
  static Finding unusable(ConfigException e) {
    return Finding.problem(
        "apiserver",
        "kubeconfig",
        String.valueOf(e.getMessage()),
        "Name a kubeconfig by --kubeconfig, and one of its contexts by --context, as for 'watchgate"
            + " serve'.");
  }

  private String target() {
    return ApiserverCheck.target(config);
  }

  private void addRights(List<Finding> findings) throws InterruptedException, ConfigException {
    try (Preflight preflight = Preflight.of(config, KubeSettings.DEFAULT, scope)) {
      switch (preflight.check()) {
        case Preflight.Unanswered(String reason) ->
            findings.add(
                Finding.problem(
                    target(), "rights", reason, "Run this again once the apiserver answers that."));
        case Preflight.Answered(var account, var missing, var unknownTypes) -> {
          missing.forEach(one -> findings.add(missing(account, one)));
          unknownTypes.forEach(
              text ->
                  findings.add(
                      Finding.problem(
                          target(),
                          "type",
                          text,
                          "Check its name: 'kubectl api-resources' prints all; a custom resource"
                              + " needs its definition.")));
          if (missing.isEmpty()) {
            findings.add(
                Finding.ok(
                    target(),
                    "rights",
                    "none is missing"
                        + (scope.types().isEmpty()
                            ? "; those to read a TYPE were not asked for"
                            : "")));
          }
        }
      }
    }
  }

  private Finding missing(Optional<String> account, RequiredRights one) {
    return Finding.problem(
        target(),
        "right",
        "missing: "
            + new MissingRights(account, List.of(one)).line()
            + ", for "
            + one.reason().replace("--type ", ""),
        GRANT);
  }

  private void addFeatures(ApiserverCheck way, List<Finding> findings)
      throws InterruptedException, ConfigException {
    FeatureCheck features = way.features();
    findings.addAll(ofLists(way, features));
    if (scope.needs().contains(Need.TOKEN_REVIEW)) {
      features.ofTokenReview().ifPresent(findings::add);
    }
  }

  /** Returns the findings about the first type that the account may list and watch. */
  private List<Finding> ofLists(ApiserverCheck way, FeatureCheck features)
      throws InterruptedException, ConfigException {
    List<TypeReference> candidates = scope.types().isEmpty() ? List.of(USUAL) : scope.types();
    String reason =
        "the account can list and watch " + (scope.types().isEmpty() ? "no namespaces" : "no TYPE");
    try (KubeCluster cluster = KubeCluster.of(config, KubeSettings.DEFAULT, System::nanoTime)) {
      for (TypeReference candidate : candidates) {
        switch (cluster.refresh(candidate)) {
          case Cluster.Found(var definition) -> {
            if (definition.isWatchable() && way.canRead(definition.type())) {
              return features.ofLists(definition.type());
            }
          }
          case Cluster.Unknown _ -> {}
          case Cluster.Unavailable(var failure) ->
              reason = TerminalEscaper.inLine(failure.message());
        }
      }
    }
    return List.of(
        Finding.warning(
            target(),
            "features",
            "not checked: " + reason,
            "Name a TYPE that the account may read, or grant the rights above, and run this"
                + " again."));
  }
}
