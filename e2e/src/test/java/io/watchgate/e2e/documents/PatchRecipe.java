package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Recipe that points a Deployment at a gateway: a patch, and the commands of its page. */
final class PatchRecipe {
  private static final String NAMESPACE = "monitoring";
  private static final String NAME = "kube-state-metrics";
  private static final Resource DEPLOYMENTS =
      new Resource("apps", "v1", "deployments", "Deployment");
  private static final Pattern COMMAND = Pattern.compile("`(kubectl -n " + NAMESPACE + " [^`]+)`");

  private PatchRecipe() {}

  /** Checks that a Deployment then has all that the patch names, and still the rest. */
  static Check patchesDeployment() {
    return (block, world) -> {
      Cluster cluster = world.apiserver().cluster();
      createDeployment(cluster);
      Path patch = Files.writeString(world.folder().resolve("patch.yaml"), block.text());
      Path authority = Files.writeString(world.folder().resolve("ca.crt"), "a certificate");
      List<String> commands =
          commands(block.document()).stream()
              .map(command -> command.replace("ca.crt", authority.toString()))
              .map(command -> command.replace("FILE", patch.toString()))
              .toList();
      assertThat(commands).hasSize(2);
      try (Terminal terminal = world.open(String.join("\n", commands))) {
        terminal.awaitOutput(NAME + " patched");
      }
      assertThat(cluster.get(DEPLOYMENTS, NAMESPACE, NAME).at("/spec/template/spec").toString())
          .contains(
              "\"image\":\"m:1\"",
              "\"args\":[\"a\"]",
              "\"automountServiceAccountToken\":false",
              "\"value\":\"watchgate.watchgate.svc\"",
              "\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"",
              "\"expirationSeconds\":3607",
              "\"name\":\"watchgate-ca\"",
              "\"fieldPath\":\"metadata.namespace\"");
      assertThat(
              cluster
                  .get(Resource.CONFIGMAPS, NAMESPACE, "watchgate-ca")
                  .at("/data/ca.crt")
                  .textValue())
          .isEqualTo("a certificate");
    };
  }

  private static void createDeployment(Cluster cluster) {
    cluster.createNamespace(NAMESPACE);
    cluster.create(
        DEPLOYMENTS,
        Json.parse(
            """
            {"apiVersion":"apps/v1","kind":"Deployment",
             "metadata":{"namespace":"%1$s","name":"%2$s"},
             "spec":{"selector":{"matchLabels":{"app":"m"}},
              "template":{"metadata":{"labels":{"app":"m"}},
               "spec":{"containers":[{"name":"%2$s","image":"m:1","args":["a"]}]}}}}\
            """
                .formatted(NAMESPACE, NAME)));
  }

  private static List<String> commands(String document) throws IOException {
    return COMMAND
        .matcher(Files.readString(Repository.root().resolve(document)))
        .results()
        .map(command -> command.group(1))
        .toList();
  }
}
