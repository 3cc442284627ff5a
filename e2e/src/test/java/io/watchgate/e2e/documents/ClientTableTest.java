package io.watchgate.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Test that the page about unmodified clients has the versions that the tests run. */
final class ClientTableTest {
  private static final String PAGE = "docs/how-to/use-unmodified-clients.md";

  /**
   * @param version what stands before the version in the file that the tests use
   */
  @ParameterizedTest
  @CsvSource({
    "kubectl, e2e/apiserver/go.mod, 'k8s.io/kubernetes v'",
    "client-go, e2e/apiserver/go.mod, 'k8s.io/client-go v'",
    "client-go, e2e/clients/client-go/go.mod, 'k8s.io/client-go v'",
    "client-go, e2e/clients/client-go/oldest.mod, 'k8s.io/client-go v'",
    "controller-runtime, e2e/clients/controller-runtime/go.mod, 'sigs.k8s.io/controller-runtime v'",
    "kube-state-metrics, e2e/clients/kube-state-metrics/go.mod, 'k8s.io/kube-state-metrics/v2 v'",
    "Prometheus, e2e/clients/prometheus/go.mod, 'github.com/prometheus/prometheus v'",
    "official Java client, pom.xml, <client-java.version>",
    "official Python client, e2e/src/test/python/requirements.txt, kubernetes==",
    "kubernetes_asyncio, e2e/src/test/python/requirements.txt, kubernetes_asyncio==",
    "official JavaScript client, e2e/clients/client-node/package.json, '-1\":"
        + " \"npm:@kubernetes/client-node@'",
    "official JavaScript client, e2e/clients/client-node/package.json, '-2\":"
        + " \"npm:@kubernetes/client-node@'",
    "kube-rs, e2e/clients/kube-rs/Cargo.toml, 'kube = { version = \"='",
    "fabric8, pom.xml, <kubernetes-client.version>",
  })
  void table_hasTestedVersion(String client, String file, String version) throws IOException {
    Matcher tested =
        Pattern.compile(Pattern.quote(version) + "(\\d+\\.\\d+)\\.\\d+").matcher(text(file));
    assertThat(tested.find()).as("version in %s", file).isTrue();
    Matcher row =
        Pattern.compile("^\\| " + Pattern.quote(client) + " \\| ([^|]+) \\|", Pattern.MULTILINE)
            .matcher(text(PAGE));
    assertThat(row.find()).as("row of %s", client).isTrue();
    assertThat(row.group(1).split(", ")).contains(tested.group(1));
  }

  private static String text(String file) throws IOException {
    return Files.readString(Repository.root().resolve(file));
  }
}
