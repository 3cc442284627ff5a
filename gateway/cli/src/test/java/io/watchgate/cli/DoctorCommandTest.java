package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.cache.TypeReference;
import io.watchgate.cli.doctor.EndpointCheck;
import io.watchgate.cli.doctor.Finding;
import io.watchgate.cli.doctor.ServerKind;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.ServedType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLServerSocket;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of {@code watchgate doctor} with a real gateway, and with servers that differ from it. */
@Tag("slow")
final class DoctorCommandTest {
  private static SandboxedGateway first;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void start() throws Exception {
    first = new SandboxedGateway();
  }

  @AfterAll
  static void stop() {
    first.close();
  }

  private int run(String... options) {
    List<String> line = new ArrayList<>(List.of("doctor"));
    line.addAll(List.of(options));
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        line.toArray(String[]::new));
  }

  private List<String> findings(int code, String... options) {
    List<String> all = new ArrayList<>(List.of("-o", "json"));
    all.addAll(List.of(options));
    assertThat(run(all.toArray(String[]::new))).as(out + " " + err).isEqualTo(code);
    List<String> findings = new ArrayList<>();
    for (JsonElement row :
        JsonParser.parseString(out.toString(StandardCharsets.UTF_8)).getAsJsonArray()) {
      JsonObject finding = row.getAsJsonObject();
      String level = finding.get("level").getAsString();
      findings.add(level + " " + finding.get("check").getAsString());
      assertThat(finding.get("advice").getAsString().isEmpty())
          .as(finding.toString())
          .isEqualTo(level.equals("ok"));
    }
    return findings;
  }

  private static String grpc() {
    return "127.0.0.1:" + first.port();
  }

  @Test
  void gatewayThatIsWell_hasNoProblem() {
    assertThat(findings(0, "--server", grpc(), "--pages", "127.0.0.1:" + first.httpPort(), "pods"))
        .containsExactly(
            "ok name", "ok connection", "ok gateway", "ok watch", "ok ready", "ok clock");
  }

  @Test
  void table_hasAdviceBelowEachProblem() {
    assertThat(run("--server", grpc(), "pods", "gadgets")).isEqualTo(1);

    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("(?m)^ok +" + grpc() + " +watch +pods may be watched$")
        .containsPattern("(?m)^problem +" + grpc() + " +watch +TYPE_UNKNOWN: .*\n +-> .+$")
        .endsWith("problems: 1, warnings: 0, ok: 4\n");
  }

  /** The stream opens from the old state, which must not look as if all were well. */
  @Test
  void apiserverIsGone_typeIsAProblem_afterMaxOutage() throws Exception {
    try (SandboxedGateway gateway =
        new SandboxedGateway(new TypeReference("", "v1", "configmaps"))) {
      String server = "127.0.0.1:" + gateway.port();
      assertThat(findings(0, "--server", server, "configmaps")).endsWith("ok watch");

      gateway.endSandbox();

      await()
          .untilAsserted(
              () -> {
                out.reset();
                assertThat(findings(0, "--server", server, "cm"))
                    .containsExactly(
                        "ok name", "ok connection", "ok gateway", "warning type", "warning watch");
              });
      await()
          .untilAsserted(
              () -> {
                out.reset();
                assertThat(findings(1, "--server", server, "--max-outage", "2s", "cm"))
                    .containsExactly(
                        "ok name", "ok connection", "ok gateway", "problem type", "warning watch");
              });
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains("cannot connect to", "/debug/types/configmaps")
          .doesNotContain("doctor");
    }
  }

  /** Types as a gateway reports them: whether synced, age in seconds, failure. */
  @ParameterizedTest
  @CsvSource(
      value = {
        "pods, true, 59, refused, warning, confirmed its state 59 s ago: refused",
        "pods, true, 60, refused, problem, confirmed its state 60 s ago: refused",
        "pods, true, 119, '', ok, may be watched",
        "pods, true, 120, '', problem, confirmed its state 120 s ago",
        "events, true, 899, '', ok, may be watched",
        "events, true, 900, '', problem, confirmed its state 900 s ago",
        "pods, false, 59, forbidden, warning, has been loading for 59 s: forbidden",
        "pods, false, 60, forbidden, problem, has been loading for 60 s: forbidden",
        "pods, false, 59, '', ok, may be watched",
        "pods, false, 60, '', problem, has been loading for 60 s",
        "pods, false, -1, '', ok, may be watched",
        "pods, false, -1, down, warning, it cannot be read: down"
      })
  void type_isJudgedByTheTimeSinceTheApiserverConfirmedIt(
      String resource, boolean synced, int seconds, String failure, String level, String text) {
    ServedType.Builder type =
        ServedType.newBuilder()
            .setResourceType(ResourceType.newBuilder().setVersion("v1").setResource(resource))
            .setKind("Pod")
            .setSynced(synced)
            .setError(failure);
    if (seconds >= 0) {
      type.setStaleness(com.google.protobuf.Duration.newBuilder().setSeconds(seconds));
    }
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      gateway.types = ListResourceTypesResponse.newBuilder().addTypes(type).build();

      assertThat(gateway.run("doctor", resource)).isEqualTo(level.equals("problem") ? 1 : 0);

      String found = gateway.stdout();
      if (level.equals("ok")) {
        assertThat(found).containsPattern("(?m)^ok .* watch +" + resource + " " + text + "$");
      } else {
        assertThat(found)
            .containsPattern("(?m)^" + level + " .* type +" + resource + ": .*" + text + "$")
            .containsPattern("(?m)^warning .* watch ")
            .doesNotContainPattern("(?m)^ok .* watch ");
      }
    }
  }

  /** Another replica: of another cluster and version, not ready, its clock an hour ahead. */
  @Test
  void replicasThatDiffer_areNamed() throws Exception {
    String status =
        """
        {"version":"9.9","cluster":"other","up":"1d","streams":3,"ready":"no: starting"}
        """;
    String date =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).plusHours(1));
    try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> answer(other, date, status));

      assertThat(
              findings(
                  1,
                  "--server",
                  grpc(),
                  "--pages",
                  "127.0.0.1:" + first.httpPort() + ",127.0.0.1:" + other.getLocalPort()))
          .containsExactly(
              "ok name",
              "ok connection",
              "ok gateway",
              "ok ready",
              "ok clock",
              "problem ready",
              "warning clock",
              "warning version",
              "problem cluster");
    }
  }

  private static void answer(ServerSocket server, String date, String body) {
    try (Socket socket = server.accept()) {
      // The request fits into one packet, and the client sends no further one.
      var _ = socket.getInputStream().read(new byte[4_096]);
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                  .formatted(date, body.length(), body)
                  .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void stepThatFails_isTheLastOne() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    assertThat(findings(1, "--server", "127.0.0.1:" + closed, "pods"))
        .containsExactly("ok name", "problem connection");
    out.reset();
    assertThat(findings(1, "--server", "no-such-host.invalid:7443"))
        .containsExactly("problem name");
    out.reset();
    assertThat(findings(1, "--server", "127.0.0.1:" + first.httpPort()))
        .containsExactly("ok name", "ok connection", "problem gateway");
    out.reset();
    assertThat(findings(1, "--tls", "--server", grpc()))
        .containsExactly("ok name", "ok connection", "problem tls");
    out.reset();
    assertThat(findings(1, "--server", grpc(), "--pages", grpc())).contains("problem pages");
  }

  @Test
  void apiserver_kubeconfigIsMissing_gatewaysAreCheckedIfNamed() {
    String[] apiserver = {"--check-apiserver", "--kubeconfig", "/no/such/file"};
    assertThat(findings(1, apiserver)).containsExactly("problem kubeconfig");
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("/no/such/file", "--context");
    out.reset();
    assertThat(findings(1, apiserver[0], apiserver[1], apiserver[2], "--server", grpc()))
        .containsExactly("problem kubeconfig", "ok name", "ok connection", "ok gateway");
  }

  @Test
  void apiserverOptions_contradict_isAUsageError() {
    for (String option : List.of("--token-review", "--balance=a/b", "--cluster-name=a")) {
      assertThat(run(option)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains("need --check-apiserver");
      err.reset();
    }
    assertThat(run("--check-apiserver", "--kubeconfig", "/no/such/file", "--balance", "A"))
        .isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("is not NAMESPACE/NAME");
  }

  /** Level of a certificate by the days until it ends. */
  @ParameterizedTest
  @CsvSource({"90, ok certificate", "5, warning certificate", "-1, problem certificate"})
  void certificate_isJudgedByItsEnd(int days, String found) throws Exception {
    long now = System.currentTimeMillis();
    HeldCertificate certificate =
        new HeldCertificate.Builder()
            .addSubjectAlternativeName("gateway.example")
            .validityInterval(
                now - Duration.ofDays(9).toMillis(), now + Duration.ofDays(days).toMillis())
            .build();
    try (SSLServerSocket server =
        (SSLServerSocket)
            new HandshakeCertificates.Builder()
                .heldCertificate(certificate)
                .build()
                .sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> shakeHands(server));

      List<Finding> findings =
          new EndpointCheck(
                  ServerKind.GATEWAY,
                  "a",
                  "127.0.0.1",
                  server.getLocalPort(),
                  Optional.of("gateway.example"))
              .findings();

      assertThat(findings.getLast().level().text() + " " + findings.getLast().check())
          .isEqualTo(found);
      assertThat(findings.getLast().text()).contains("gateway.example", "TLSv1.3");
    }
  }

  /** Accepts connections until the server is closed, and reads from each to its end. */
  private static void shakeHands(SSLServerSocket server) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        var _ = socket.getInputStream().readAllBytes();
      } catch (IOException e) {
        // The client only wanted to see the certificate, or the server is closed.
      }
    }
  }
}
