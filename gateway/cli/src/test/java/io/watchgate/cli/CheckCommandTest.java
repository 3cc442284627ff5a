package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.Promise;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code watchgate check} against a gateway of an embedded sandbox. */
@Timeout(300)
class CheckCommandTest {
  /** Most runs until one shows what is to be judged. */
  private static final int MOST_RUNS = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private SandboxedGateway gateway;

  @BeforeEach
  void start() throws Exception {
    gateway = new SandboxedGateway();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private int check(String options) {
    return check(gateway.port(), options);
  }

  private int check(int port, String options) {
    String line =
        "check --server=127.0.0.1:%d --apiserver=%s %s"
            .formatted(port, gateway.apiserver(), options);
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        line.split(" +"));
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
  }

  @Tag("slow")
  @Test
  void gateway_allPromisesHold() {
    String options = "--duration 5s --rate 200 --clock-skew 1ms";
    assertThat(check(options)).as(output()).isZero();
    // On a busy machine so short a run may have nothing to judge for one of the promises.
    for (int runs = 1; output().contains("not seen") && runs < MOST_RUNS; runs++) {
      out.reset();
      assertThat(check(options)).as(output()).isZero();
    }
    for (Promise promise : Promise.values()) {
      assertThat(output()).containsPattern(promise + " +held, [0-9,]+ times");
    }
  }

  /** One replica accepts connections and sends nothing, like a frozen machine. */
  @Tag("slow")
  @Test
  void silentReplica_streamsMoveToAnother() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String options = "--duration 4s --subscribers 20 --clock-skew 1ms --server=127.0.0.1:";

      assertThat(check(options + silent.getLocalPort())).as(output()).isZero();

      assertThat(output()).containsPattern("[0-9]+ streams were left: silence");
      assertThat(output()).containsPattern(Promise.RESUMABLE + " +held, [0-9,]+ times");
    }
  }

  @Test
  void allSubscribersDenied_reportNamesMissingRights() throws Exception {
    denied();
    assertThat(output())
        .contains(
            "nothing was watched: the caller may not list or watch configmaps,"
                + " leases.coordination.k8s.io, pods: grant list and watch on",
            "20 subscribers; the gateway said: the user \"joe\" may not list")
        .doesNotContain("Wish", "[type=");
  }

  /**
   * A subscriber may open another stream before it is told to stop; on a busy machine all of them
   * may, so that another run must show that they do stop.
   */
  @Test
  void deniedSubscribers_obeyStop() throws Exception {
    int requests = denied();
    for (int runs = 1; requests >= 40 && runs < MOST_RUNS; runs++) {
      requests = denied();
    }
    assertThat(requests).isBetween(20, 39);
  }

  /** Runs a check whose 20 subscribers are all denied, and returns the number of their requests. */
  private int denied() throws Exception {
    try (RefusingGateway refusing = new RefusingGateway("by name")) {
      assertThat(check(refusing.port(), "--duration 10m --subscribers 20")).isEqualTo(1);
      return refusing.requests();
    }
  }

  @Test
  void gatewayOfAnotherCluster_failsBeforePreparing() throws Exception {
    try (RefusingGateway other = new RefusingGateway("6f3b0f0a-1111-2222-3333-444455556666")) {
      assertThat(check(other.port(), "--duration 10m")).isEqualTo(1);

      assertThat(other.requests()).isZero();
      assertThat(output())
          .contains(
              "the gateway at 127.0.0.1:" + other.port() + " serves another cluster",
              "6f3b0f0a-1111-2222-3333-444455556666",
              "Name the apiserver behind the gateway")
          .doesNotContain("preparing");
    }
  }

  @Test
  void missingRightsAtGateway_failBeforePreparing() throws Exception {
    try (RefusingGateway refusing = new RefusingGateway("by name")) {
      refusing.refuseLists();
      assertThat(check(refusing.port(), "--duration 10m")).isEqualTo(1);

      assertThat(refusing.requests()).isZero();
      assertThat(output())
          .contains("refuses to list configmaps: the user \"joe\" may not list")
          .doesNotContain("preparing");
    }
  }

  @Test
  void noGatewayAnswers_failsBeforePreparing() throws Exception {
    int port;
    try (RefusingGateway gone = new RefusingGateway("by name")) {
      port = gone.port();
    }

    assertThat(check(port, "--duration 10m")).isEqualTo(1);

    assertThat(output())
        .contains(
            "no gateway answers at 127.0.0.1:" + port + ": UNAVAILABLE: Connection refused",
            "name another with --server")
        .doesNotContain("preparing", "exception");
  }

  @ParameterizedTest
  @CsvSource({
    "--subscribers 0, --subscribers 0 is out of range: 1 to 1000",
    "--rate 0, '--rate 0.0 is out of range: above 0, up to 2000'",
    "--duration 31m, --duration is at most 30m",
    "--clock-skew 6m, --clock-skew is at most 5m",
    "--kubeconfig x, --apiserver and --kubeconfig or --context exclude each other",
  })
  void option_outOfRange_isRefused(String options, String message) {
    assertThat(check(options)).isEqualTo(2);
    assertThat(output()).contains(message);
  }
}
