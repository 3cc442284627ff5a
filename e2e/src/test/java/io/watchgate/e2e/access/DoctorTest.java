package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.proxy.EditingProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of {@code doctor --check-apiserver}: findings about a real apiserver. */
@WithSharedApiserver
final class DoctorTest {
  private static final List<String> WAY =
      List.of("ok name", "ok connection", "ok certificate", "ok clock", "ok version", "ok account");

  @TempDir private Path folder;

  /**
   * Findings of one run.
   *
   * @param checks level and name of each
   */
  private record Findings(int code, List<String> checks, List<JsonNode> rows) {
    /** Returns text and advice of the first finding of a check. */
    String of(String check) {
      JsonNode row =
          rows.stream()
              .filter(one -> one.get("check").textValue().equals(check))
              .findFirst()
              .orElseThrow(() -> new AssertionError("no " + check + " in " + rows));
      return row.get("text").textValue() + " -> " + row.get("advice").textValue();
    }
  }

  private static Findings doctor(Path kubeconfig, String... more) throws IOException {
    List<String> line =
        new ArrayList<>(List.of("doctor", "--check-apiserver", "-o", "json", "--kubeconfig"));
    line.add(kubeconfig.toString());
    line.addAll(List.of(more));
    try (Command doctor = Command.start(line.toArray(String[]::new))) {
      int code = doctor.awaitEnd();
      List<JsonNode> rows = new ArrayList<>();
      new ObjectMapper().readTree(String.join("\n", doctor.out())).forEach(rows::add);
      List<String> checks = new ArrayList<>();
      for (JsonNode row : rows) {
        String level = row.get("level").textValue();
        checks.add(level + " " + row.get("check").textValue());
        assertThat(row.get("advice").textValue().isEmpty())
            .as(row.toString())
            .isEqualTo(level.equals("ok"));
      }
      return new Findings(code, checks, rows);
    }
  }

  private Path changed(Apiserver apiserver, String pattern, String replacement) throws IOException {
    String text = Files.readString(apiserver.kubeconfig());
    String all = text.replaceAll(pattern, replacement);
    assertThat(all).isNotEqualTo(text);
    return Files.writeString(
        folder.resolve("changed"),
        all.replaceAll(
            "certificate-authority: (?!/)",
            "certificate-authority: " + apiserver.kubeconfig().getParent() + "/"));
  }

  private static List<String> afterWay(String... more) {
    List<String> all = new ArrayList<>(WAY);
    all.addAll(List.of(more));
    return all;
  }

  @Test
  void account_hasAllRights_allIsWell(Apiserver apiserver) throws Exception {
    GatewayAccount account =
        GatewayAccount.create(
            apiserver,
            folder,
            "doctor-all",
            List.of(Type.CONFIGMAPS),
            GatewayAccount.REVIEWS_AND_ROLES);

    Findings found = doctor(account.kubeconfig(), "--token-review", "configmaps");

    assertThat(found.checks())
        .as(found.rows().toString())
        .isEqualTo(
            afterWay(
                "ok rights",
                "ok lists",
                "ok exact-lists",
                "ok streaming-lists",
                "ok bookmarks",
                "ok cached-lists",
                "ok token-review"));
    assertThat(found.code()).isZero();
    assertThat(found.of("account")).startsWith("system:serviceaccount:doctor-all:gateway");
    assertThat(found.of("cached-lists")).contains("by its version");
  }

  @Test
  void account_lacksRights_eachIsNamedWithWhatToDo(Apiserver apiserver) throws Exception {
    Findings found =
        doctor(
            apiserver.kubeconfig(),
            "--context",
            "limited",
            "--balance",
            "doctor/watchgate",
            "configmaps");

    assertThat(found.checks())
        .as(found.rows().toString())
        .isEqualTo(
            afterWay(
                "problem right",
                "problem right",
                "problem right",
                "problem right",
                "warning features"));
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.rows().toString())
        .contains("missing: list, watch configmaps, for objects of the type")
        .contains(
            "get namespaces \\\"kube-system\\\"", "leases.coordination.k8s.io in the namespace")
        .contains("serve --check");
  }

  @Test
  void cluster_isNamedAndReplicasAreNotBalanced_thoseRightsAreNotNeeded(Apiserver apiserver)
      throws Exception {
    Findings found = doctor(apiserver.kubeconfig(), "--context", "limited", "--cluster-name", "a");

    assertThat(found.checks()).isEqualTo(afterWay("problem right", "warning features"));
    assertThat(found.of("right")).contains("customresourcedefinitions");
  }

  @Test
  void type_isUnknown_isAProblem(Apiserver apiserver) throws Exception {
    Findings found = doctor(apiserver.kubeconfig(), "configmapz");

    assertThat(found.code()).isEqualTo(1);
    assertThat(found.checks()).contains("problem type", "warning features");
    assertThat(found.of("type")).contains("configmapz", "configmaps", "kubectl api-resources");
  }

  @Test
  void authority_isAnother_connectionIsNotTrusted(Apiserver apiserver) throws Exception {
    String other = new HeldCertificate.Builder().certificateAuthority(0).build().certificatePem();
    Path authority = Files.writeString(folder.resolve("other.crt"), other);

    Findings found =
        doctor(
            changed(
                apiserver, "certificate-authority: \\S+", "certificate-authority: " + authority));

    assertThat(found.checks())
        .containsExactly("ok name", "ok connection", "ok certificate", "problem request");
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.of("request")).contains("is not trusted", "'certificate-authority'");
  }

  @Test
  void token_isRefused_isToBeRenewed(Apiserver apiserver) throws Exception {
    Findings found = doctor(changed(apiserver, "token: \\S+", "token: secret-of-no-user"));

    assertThat(found.code()).isEqualTo(1);
    assertThat(found.checks()).last().isEqualTo("problem request");
    assertThat(found.of("request")).contains("401", "Renew the credentials");
    assertThat(found.rows().toString()).doesNotContain("secret-of-no-user");
  }

  @Test
  void apiserver_isAway_connectionIsTheLastStep(Apiserver apiserver) throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }

    Findings found =
        doctor(
            changed(apiserver, "server: \\S+", "server: https://127.0.0.1:" + closed),
            "configmaps");

    assertThat(found.checks()).containsExactly("ok name", "problem connection");
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.of("connection")).contains("" + closed, "'server'");
  }

  @Test
  void context_isMissing_gatewaysAreCheckedAllTheSame(Apiserver apiserver) throws Exception {
    Findings found =
        doctor(
            apiserver.kubeconfig(), "--context", "nowhere", "--server", "no-such-host.invalid:1");

    assertThat(found.checks()).containsExactly("problem kubeconfig", "problem name");
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.of("kubeconfig")).contains("nowhere", "--context");
  }

  @Test
  void clockAndFeatures_differ_areWarnings(Apiserver apiserver) throws Exception {
    try (EditingProxy proxy = EditingProxy.before(apiserver)) {
      Path kubeconfig = Command.kubeconfig(proxy.uri(), folder);
      assertThat(doctor(kubeconfig).checks())
          .contains("ok clock", "ok version", "ok cached-lists", "ok streaming-lists");

      proxy.shiftClockMinutes(-60);
      proxy.edit("(kubernetes_feature_enabled\\{name=\"ConsistentListFromCache\",.*\\}) 1", "$1 0");
      proxy.edit("\"gitVersion\": \"v1\\.\\d+", "\"gitVersion\": \"v1.26");
      Findings found = doctor(kubeconfig);

      assertThat(found.checks())
          .as(found.rows().toString())
          .contains("warning clock", "warning version", "warning cached-lists");
      assertThat(found.code()).isZero();
      assertThat(found.of("clock")).containsPattern("by 3[56]\\d\\d s -> .*NTP");
      assertThat(found.of("version")).contains("v1.26", "1.36", "1.27");
      assertThat(found.of("cached-lists")).contains("by its metrics", "etcd");
    }
  }

  @Test
  void apiserver_hasNoStreamingLists_isAWarning(
      @OwnApiserver(flags = "--feature-gates=WatchList=false") Apiserver apiserver)
      throws Exception {
    Findings found = doctor(apiserver.kubeconfig(), "leases.coordination.k8s.io");

    // The apiserver's own writes decide if a bookmark comes in so short a time.
    assertThat(found.checks())
        .as(found.rows().toString())
        .filteredOn(check -> !check.endsWith(" bookmarks"))
        .isEqualTo(
            afterWay(
                "ok rights",
                "ok lists",
                "ok exact-lists",
                "warning streaming-lists",
                "ok cached-lists"));
    assertThat(found.checks()).hasSize(WAY.size() + 6);
    assertThat(found.code()).isZero();
    assertThat(found.of("streaming-lists")).contains("WatchList", "feature gate", "by pages");
  }
}
