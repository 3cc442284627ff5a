package io.watchgate.e2e.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.balance.LoadRegistry;
import io.watchgate.balance.LoadRegistryException;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.kube.RawApiClient;
import io.watchgate.kube.ReplicaLeases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the load data that replicas exchange through a real apiserver. */
@WithSharedApiserver
final class ReplicaLeasesTest {
  private static final Resource LEASES =
      new Resource("coordination.k8s.io", "v1", "leases", "Lease");

  @TempDir private Path folder;
  private RawApiClient api;

  @BeforeEach
  void open(Apiserver apiserver) throws ConfigException {
    api = RawApiClient.of(Kubeconfig.load(apiserver.kubeconfig(), ""), KubeSettings.DEFAULT);
  }

  @AfterEach
  void close() {
    api.close();
  }

  private ReplicaLeases leases(String namespace, String replica) {
    return new ReplicaLeases(api, namespace, "gateway", replica, Duration.ofSeconds(30));
  }

  /** Creates a lease with the labels and annotations of a replica. */
  private static void createLease(
      Apiserver apiserver, String namespace, String name, String streams, String holder) {
    apiserver
        .cluster()
        .create(
            LEASES,
            Json.parse(
                """
                {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
                 "metadata":{"name":"%s","namespace":"%s",
                   "labels":{"watchgate.io/balance":"gateway"},
                   "annotations":{"watchgate.io/streams":"%s"}},
                 "spec":{"holderIdentity":"%s"}}
                """
                    .formatted(name, namespace, streams, holder)));
  }

  @Test
  void publishedLoad_isReadUntilWithdrawn(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace("said");
    ReplicaLeases a = leases("said", "a");
    ReplicaLeases b = leases("said", "b");
    assertThat(b.entries()).isEmpty();
    a.publish(7);
    b.publish(0);
    LoadRegistry.Entry first = b.entries().getFirst();
    assertThat(first.replica()).isEqualTo("a");
    assertThat(first.streams()).isEqualTo(7);

    a.publish(7);

    List<LoadRegistry.Entry> entries = b.entries();
    assertThat(entries).extracting(LoadRegistry.Entry::replica).containsExactly("a", "b");
    assertThat(entries.getFirst().version()).isNotEqualTo(first.version());
    assertThat(entries).isEqualTo(a.entries());

    a.withdraw();
    assertThat(b.entries()).extracting(LoadRegistry.Entry::replica).containsExactly("b");
    b.remove("a");
    b.remove("b");
    assertThat(b.entries()).isEmpty();
  }

  @Test
  void foreignLease_isNoReplica(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace("others");
    createLease(apiserver, "others", "other", "5", "../pods/x");
    assertThat(leases("others", "a").entries()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-5", "5.0", "1e3", "true", "9999999999"})
  void leaseWithoutStreamCount_isNoReplica(String streams, Apiserver apiserver) throws Exception {
    String namespace = "odd" + Integer.toHexString(streams.hashCode());
    apiserver.cluster().createNamespace(namespace);
    createLease(apiserver, namespace, "gateway-x", streams, "x");
    assertThat(leases(namespace, "a").entries()).isEmpty();
  }

  @Test
  void failedPublishing_reportsReason() {
    assertThatThrownBy(() -> leases("missing", "a").publish(1))
        .isInstanceOf(LoadRegistryException.class)
        .hasMessageContaining("\"missing\" not found");
  }

  /** Same identity as for all other requests with this kubeconfig. */
  @Test
  void leases_areWrittenWithKubeconfigIdentity(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace("as");
    Path file =
        Files.writeString(
            folder.resolve("as"),
            Files.readString(apiserver.kubeconfig())
                .replaceAll("(?m)^( *)token: (\\S+)$", "$1token: $2\n$1as: nobody-in-particular"));
    try (RawApiClient asNobody = RawApiClient.of(Kubeconfig.load(file, ""), KubeSettings.DEFAULT)) {
      ReplicaLeases leases =
          new ReplicaLeases(asNobody, "as", "gateway", "a", Duration.ofSeconds(30));
      assertThatThrownBy(() -> leases.publish(1))
          .isInstanceOf(LoadRegistryException.class)
          .hasMessageContaining("nobody-in-particular");
    }
  }
}
