package io.watchgate.e2e.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.balance.Board;
import io.watchgate.balance.BoardException;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.kube.RawApi;
import io.watchgate.kube.ReplicaLeases;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What replicas say to each other by a real apiserver. */
@WithApiserver
final class ReplicaLeasesTest {
  private static final Resource LEASES =
      new Resource("coordination.k8s.io", "v1", "leases", "Lease");

  private static ReplicaLeases leases(Apiserver apiserver, String namespace, String replica)
      throws ConfigException {
    return new ReplicaLeases(
        RawApi.of(Kubeconfig.load(apiserver.kubeconfig(), ""), KubeSettings.DEFAULT),
        namespace,
        "gateway",
        replica,
        Duration.ofSeconds(30));
  }

  @Test
  void whatOneSaysOthersReadUntilItIsClosed(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace("said");
    try (ReplicaLeases b = leases(apiserver, "said", "b")) {
      try (ReplicaLeases a = leases(apiserver, "said", "a")) {
        assertThat(b.entries()).isEmpty();
        a.tell(7);
        b.tell(0);
        Board.Entry first = b.entries().getFirst();
        assertThat(first.replica()).isEqualTo("a");
        assertThat(first.streams()).isEqualTo(7);

        a.tell(7);

        List<Board.Entry> entries = b.entries();
        assertThat(entries).extracting(Board.Entry::replica).containsExactly("a", "b");
        assertThat(entries.getFirst().version()).isNotEqualTo(first.version());
        assertThat(entries).isEqualTo(a.entries());
      }
      assertThat(b.entries()).extracting(Board.Entry::replica).containsExactly("b");
      b.remove("a");
      b.remove("b");
      assertThat(b.entries()).isEmpty();
    }
  }

  @Test
  void aLeaseOfSomebodyElseIsNoReplica(Apiserver apiserver) throws Exception {
    apiserver.cluster().createNamespace("others");
    apiserver
        .cluster()
        .create(
            LEASES,
            Json.parse(
                """
                {"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
                 "metadata":{"name":"other","namespace":"others",
                   "labels":{"watchgate.io/balance":"gateway"},
                   "annotations":{"watchgate.io/streams":"5"}},
                 "spec":{"holderIdentity":"../pods/x"}}
                """));
    try (ReplicaLeases a = leases(apiserver, "others", "a")) {
      assertThat(a.entries()).isEmpty();
    }
  }

  @Test
  void whereNothingCanBeSaidTheReasonIsTold(Apiserver apiserver) throws Exception {
    try (ReplicaLeases a = leases(apiserver, "missing", "a")) {
      assertThatThrownBy(() -> a.tell(1))
          .isInstanceOf(BoardException.class)
          .hasMessageContaining("\"missing\" not found");
    }
  }
}
