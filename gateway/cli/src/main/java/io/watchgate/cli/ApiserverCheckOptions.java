package io.watchgate.cli;

import io.watchgate.cache.TypeReference;
import io.watchgate.server.RightsScope;
import io.watchgate.server.RightsScope.Need;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the check of an apiserver, with those of 'serve' on which the rights depend. */
@OptionGroup("Check of the apiserver")
final class ApiserverCheckOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--check-apiserver",
      description =
          "Check the apiserver as a gateway on this machine would use it. --kubeconfig and"
              + " --context select it and the gateway's account, as for 'serve'; they are not for"
              + " gateways then. Gateways are checked too if --server or --gateway-context is"
              + " given. Default: no.")
  private boolean checks;

  @Option(
      names = "--token-review",
      description = "Check also what 'serve --token-review' needs. Default: no.")
  private boolean tokenReview;

  @Option(
      names = "--balance",
      paramLabel = "NAMESPACE/NAME",
      defaultValue = "",
      description = "Check also what 'serve --balance' needs. Default: no.")
  private String balance = "";

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "The --cluster-name that 'serve' will get. The right to read the namespace kube-system is"
              + " then not checked. Default: none, and it is checked.")
  private String clusterName = "";

  /**
   * Returns whether the apiserver is checked.
   *
   * @throws ParameterException if another option of the check was given without it
   */
  boolean isGiven() {
    if (!checks && (tokenReview || !balance.isEmpty() || !clusterName.isEmpty())) {
      throw UsageError.of(
          command, "--token-review, --balance and --cluster-name need --check-apiserver");
    }
    return checks;
  }

  RightsScope scope(List<TypeReference> types) {
    Set<Need> needs = EnumSet.noneOf(Need.class);
    if (clusterName.isEmpty()) {
      needs.add(Need.CLUSTER_UID);
    }
    if (tokenReview) {
      needs.addAll(EnumSet.of(Need.TOKEN_REVIEW, Need.ACCESS_REVIEW));
    }
    Optional<String> leases =
        balance.isEmpty()
            ? Optional.empty()
            : Optional.of(ServeOptions.balance(command, balance).namespace());
    return new RightsScope(types, needs, leases);
  }
}
