package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.unmodified.Kubectl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of the check of rights: the answers of a real apiserver about a gateway's account. */
@WithSharedApiserver
final class PreflightTest {
  @TempDir private Path folder;

  private Command check(GatewayAccount account, String... types) {
    Command check =
        Command.start(
            "serve",
            "--check",
            "--token-review",
            "--kubeconfig",
            account.kubeconfig().toString(),
            "--type",
            String.join(",", types));
    var _ = check.awaitEnd();
    return check;
  }

  @Test
  void account_lacksSomeRights_yamlHasThemAndNoOthers(Apiserver apiserver) {
    GatewayAccount account =
        GatewayAccount.create(
            apiserver, folder, "preflight-some", List.of(Type.CONFIGMAPS), GatewayAccount.REVIEWS);
    try (Command check = check(account, "leases.coordination.k8s.io")) {
      assertThat(String.join("\n", check.err())).contains("rights are missing");
      assertThat(String.join("\n", check.out()))
          .contains("kind: ClusterRole", "resources: [leases], verbs: [list, watch]")
          .contains("resources: [roles], verbs: [list, watch]")
          .doesNotContain("tokenreviews", "kube-system", "customresourcedefinitions");
    }
    try (Command check = check(account, "configmaps")) {
      assertThat(String.join("\n", check.out())).doesNotContain("configmaps");
    }
  }

  @Test
  void account_lacksSomeRights_startWarnsOnce(Apiserver apiserver) {
    GatewayAccount account =
        GatewayAccount.create(
            apiserver, folder, "preflight-start", List.of(Type.CONFIGMAPS), GatewayAccount.REVIEWS);
    try (Command serve =
        Command.start(
            "serve",
            "--kubeconfig",
            account.kubeconfig().toString(),
            "--type",
            "configmaps",
            "--type",
            "leases.coordination.k8s.io",
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0")) {
      assertThat(serve.awaitErr("lacks rights"))
          .contains("WARN", "preflight-start:gateway", "leases.coordination.k8s.io", "--check")
          .doesNotContain("configmaps");
      serve.awaitServing();
      assertThat(serve.err()).filteredOn(line -> line.contains("lacks rights")).hasSize(1);
    }
  }

  @Test
  void printedYaml_applied_nothingIsMissing(Apiserver apiserver) throws Exception {
    GatewayAccount account =
        GatewayAccount.create(apiserver, folder, "preflight-apply", List.of(), List.of());
    Path yaml = folder.resolve("missing.yaml");
    try (Command check = check(account, "leases.coordination.k8s.io")) {
      Files.write(yaml, check.out());
    }

    Kubectl.at(apiserver.kubeconfig()).and("apply", "-f", yaml.toString()).run();

    await()
        .atMost(Subscriber.LIMIT)
        .untilAsserted(
            () -> {
              try (Command check = check(account, "leases.coordination.k8s.io")) {
                assertThat(String.join("\n", check.err()))
                    .contains(
                        "no right is missing for system:serviceaccount:preflight-apply:gateway");
              }
            });
  }

  @Test
  void account_hasAllRights_nothingIsMissing(Apiserver apiserver) {
    GatewayAccount account =
        GatewayAccount.create(
            apiserver,
            folder,
            "preflight-all",
            List.of(Type.CONFIGMAPS),
            GatewayAccount.REVIEWS_AND_ROLES);
    try (Command check = check(account, "configmaps")) {
      assertThat(check.out()).isEmpty();
      assertThat(String.join("\n", check.err())).contains("no right is missing");
    }
  }
}
