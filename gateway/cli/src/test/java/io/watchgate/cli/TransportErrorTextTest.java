package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.watchgate.client.WatchError;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiError;
import io.watchgate.grpc.TestAuthority;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Client commands that connect to the wrong port, each with a real server. */
@Tag("slow")
@Timeout(300)
class TransportErrorTextTest {
  private static final HeldCertificate CA = TestAuthority.named("ca");
  private static final HeldCertificate OTHER_CA = TestAuthority.named("other");

  @TempDir private Path folder;
  private final List<Runnable> closers = new ArrayList<>();
  private Path caFile;
  private Path otherCaFile;

  @BeforeEach
  void files() throws IOException {
    caFile = Files.writeString(folder.resolve("ca.crt"), CA.certificatePem());
    otherCaFile = Files.writeString(folder.resolve("other.crt"), OTHER_CA.certificatePem());
  }

  @AfterEach
  void close() {
    closers.forEach(Runnable::run);
  }

  private String grpc(ServerCredentials credentials) throws IOException {
    Server server = Grpc.newServerBuilderForPort(0, credentials).build().start();
    closers.add(server::shutdownNow);
    return "127.0.0.1:" + server.getPort();
  }

  private static TlsServerCredentials.Builder tls(String... names) throws IOException {
    HeldCertificate.Builder builder = new HeldCertificate.Builder().signedBy(CA);
    for (String name : names) {
      builder.addSubjectAlternativeName(name);
    }
    HeldCertificate own = builder.build();
    return TlsServerCredentials.newBuilder()
        .keyManager(stream(own.certificatePem()), stream(own.privateKeyPkcs8Pem()));
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the stderr of a {@code list} that fails. */
  private static String list(String server, String... options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    List<String> line = new ArrayList<>(List.of("list", "pods", "--server", server));
    line.addAll(Arrays.asList(options));
    int code =
        Main.run(
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InstantSource.system(),
            line.toArray(String[]::new));
    assertThat(code).isEqualTo(1);
    assertThat(out.size()).isZero();
    return err.toString(StandardCharsets.UTF_8)
        .replaceFirst("^watchgate: cannot ask the gateway at " + server + ": ", "");
  }

  @Test
  void http1Port_errorNamesDefaultPort() throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.start();
    closers.add(() -> http.stop(0));

    assertThat(list("127.0.0.1:" + http.getAddress().getPort()))
        .startsWith(
            "the server speaks HTTP/1, not gRPC\n  gRPC is on port 7443 by default; --http-listen")
        .doesNotContain("SETTINGS", "Hex dump", "watchgate serve");
  }

  /** The port of metrics does so, for example. */
  @Test
  void tlsToServerThatCloses_errorNamesPlainHttp() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(
              () -> {
                while (!server.isClosed()) {
                  try (Socket socket = server.accept()) {
                    var _ = socket.getInputStream().read(new byte[1 << 16]);
                  } catch (IOException e) {
                    // The test has ended.
                  }
                }
              });
      assertThat(list("127.0.0.1:" + server.getLocalPort(), "--tls"))
          .startsWith(
              "it closed the connection at the beginning of TLS, as a server of plain HTTP does")
          .doesNotContain("watchgate serve");
    }
  }

  @Test
  void answerWithoutContentType_errorNamesHttp() {
    WatchError error =
        WatchError.of(
            Status.UNIMPLEMENTED
                .withDescription("HTTP status code 404\nmissing content-type in response headers")
                .asRuntimeException());

    TransportErrorText text = TransportErrorText.of(error);

    assertThat(text.cause()).startsWith("the answer is HTTP, not gRPC");
    assertThat(text.advice()).contains("--kube-listen speak no gRPC");
  }

  @Test
  void apiserverPort_errorNamesHttp() throws Exception {
    try (SandboxedGateway gateway = new SandboxedGateway()) {
      assertThat(list(gateway.apiserver().substring("http://".length())))
          .startsWith("the answer is HTTP, not gRPC: an apiserver's, or a proxy's")
          .doesNotContain("Metadata(", "DATA", "{");
    }
  }

  @Test
  void plaintextToTls_errorNamesTlsOptions() throws IOException {
    assertThat(list(grpc(tls("127.0.0.1").build())))
        .contains("as by a gateway that serves TLS\n  Connect with --tls-ca FILE");
  }

  /** A server that closes before it has read all bytes resets the connection. */
  @Test
  void connectionReset_errorNamesTlsOptions() throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    closers.add(
        () -> {
          try {
            socket.close();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    var _ = Thread.ofVirtual().start(() -> resetAll(socket));

    assertThat(list("127.0.0.1:" + socket.getLocalPort()))
        .contains("as by a gateway that serves TLS\n  Connect with --tls-ca FILE");
  }

  private static void resetAll(ServerSocket socket) {
    while (true) {
      try (Socket accepted = socket.accept()) {
        accepted.setSoLinger(true, 0);
        accepted.getInputStream().read();
      } catch (IOException e) {
        if (socket.isClosed()) {
          return;
        }
      }
    }
  }

  @Test
  void tlsToPlaintext_errorNamesTlsOptions() throws IOException {
    assertThat(list(grpc(InsecureServerCredentials.create()), "--tls"))
        .isEqualTo(
            "it serves plaintext, no TLS\n  Leave --tls and --tls-ca out, or name another with"
                + " --server.\n");
  }

  @Test
  void unknownAuthority_errorNamesTlsCa() throws IOException {
    String server = grpc(tls("127.0.0.1").build());

    for (String[] options : new String[][] {{"--tls"}, {"--tls-ca", otherCaFile.toString()}}) {
      assertThat(list(server, options))
          .startsWith("its certificate is signed by no CA that is trusted here\n  --tls-ca")
          .doesNotContain("PKIX", "sun.", "SunCert");
    }
  }

  @Test
  void certificateOfOtherName_errorListsItsNames() throws IOException {
    assertThat(
            list(grpc(tls("gateway.example", "10.0.0.1").build()), "--tls-ca", caFile.toString()))
        .isEqualTo(
            """
            its certificate is for gateway.example, 10.0.0.1
              --tls-server-name NAME chooses one of them.
            """);
  }

  @Test
  void missingClientCertificate_errorNamesOptions() throws IOException {
    String server =
        grpc(
            tls("127.0.0.1")
                .trustManager(stream(CA.certificatePem()))
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build());

    assertThat(list(server, "--tls-ca", caFile.toString()))
        .contains("it wants a client certificate", "--tls-client-cert FILE and --tls-client-key")
        .doesNotContain("netty", "1000045c");
  }

  @Test
  void missingToken_errorNamesOption() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      gateway.refusals.add(
          ScriptedGateway.refusal(
              Code.UNAUTHENTICATED,
              "CREDENTIALS_INVALID",
              "STOP",
              "",
              "the call has no credentials"));

      assertThat(gateway.run("list", "settings")).isEqualTo(1);
      assertThat(gateway.stderr())
          .startsWith(
              "watchgate: CREDENTIALS_INVALID: the call has no credentials\n"
                  + "  --bearer-token-file FILE sends a token, such as")
          .contains("kubectl create token NAME --audience watchgate")
          .contains("a client certificate", "'serve --tls-client-ca FILE'")
          .doesNotContain("--token-audience");
    }
  }

  @Test
  void tokenForApiserver_errorNamesOptionOfGateway() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      ApiError error =
          AccessErrors.tokenUnknownToApiserver(
              new AccessErrors.Accepted(true, List.of("watchgate"), false));
      gateway.refusals.add(
          ScriptedGateway.refusal(
              Code.UNAUTHENTICATED, "CREDENTIALS_INVALID", "STOP", "", error.message()));

      assertThat(gateway.run("list", "settings")).isEqualTo(1);
      assertThat(gateway.stderr())
          .contains("a person's own login", "'serve --token-audience AUDIENCE'")
          .doesNotContain("--tls-client-ca");
    }
  }

  @Test
  void unknownType_errorNamesTypesCommand() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      for (String text :
          List.of(
              "the apiserver knows no resource type \"podz\". ListResourceTypes names those it"
                  + " knows.",
              "the apiserver knows no resource type \"podz\". Near: pods.")) {
        gateway.refusals.add(
            ScriptedGateway.refusal(
                Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP", "selection.resource_type", text));
        gateway.run("list", "podz");
      }

      assertThat(gateway.stderr())
          .isEqualTo(
              """
              watchgate: TYPE_UNKNOWN: the apiserver knows no resource type "podz".
                'watchgate types' lists all
                see docs/reference/errors.md#type_unknown
              watchgate: TYPE_UNKNOWN: the apiserver knows no resource type "podz". Near: pods.
                'watchgate types' lists all
                see docs/reference/errors.md#type_unknown
              """);
    }
  }

  @Test
  void typeAll_adviceIsToNameTypes() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      gateway.refusals.add(
          ScriptedGateway.refusal(
              Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP", "selection.resource_type", "no type all"));

      assertThat(gateway.run("get", "all")).isEqualTo(1);
      assertThat(gateway.stderr())
          .contains("\n  'watchgate types' lists all; name several with commas: pods,services\n");
    }
  }

  @Test
  void unknownHost_adviceIsAboutTheName() {
    for (String message :
        List.of(
            "Unable to resolve host gate.invalid: gate.invalid: Name or service not known",
            "the gateway's name cannot be looked up: gate.invalid")) {
      TransportErrorText text = TransportErrorText.of(unavailable(message));

      assertThat(text.cause()).isEqualTo("the name of the host cannot be looked up");
      assertThat(text.advice()).startsWith("Check the name in --server").doesNotContain("serve'");
    }
  }

  @Test
  void refusedConnection_addressHasNoSlash() {
    assertThat(list("127.0.0.1:1")).contains("Connection refused: 127.0.0.1:1\n");
    assertThat(TransportErrorText.of(unavailable("Connection refused: gate/[::1]:1")).cause())
        .isEqualTo("UNAVAILABLE: Connection refused: [::1]:1");
  }

  @Test
  void alertAboutClientCertificate_errorNamesOptions() {
    assertThat(TransportErrorText.of(unavailable("... TLSV1_ALERT_UNKNOWN_CA")).cause())
        .isEqualTo("it does not accept the client certificate");
    TransportErrorText internal =
        TransportErrorText.of(unavailable("... TLSV1_ALERT_INTERNAL_ERROR"));
    assertThat(internal.cause()).startsWith("it ended the TLS handshake with an internal error");
    assertThat(internal.advice()).startsWith("--tls-client-cert FILE and --tls-client-key FILE");
  }

  private static WatchError unavailable(String message) {
    return WatchError.of(Status.UNAVAILABLE.withDescription(message).asRuntimeException());
  }

  @Test
  void watchAtApiserver_endsAfterThreeAnswers() throws Exception {
    try (SandboxedGateway cluster = new SandboxedGateway();
        ScriptedGateway runner = new ScriptedGateway()) {
      String apiserver = cluster.apiserver().substring("http://".length());

      assertThat(runner.runUnchanged("watch", "pods", "--server", apiserver)).isEqualTo(1);
      assertThat(runner.stderr())
          .contains(
              "the answer is HTTP, not gRPC",
              "trying 3 times in all",
              "so the watch ends. gRPC is on port 7443 by default");
    }
  }

  @Test
  void startAheadOfCluster_endsAfterThreeAttempts() {
    try (ScriptedGateway gateway = new ScriptedGateway()) {
      for (int i = 0; i < 5; i++) {
        gateway.refusals.add(
            ScriptedGateway.refusal(Code.UNAVAILABLE, "BEHIND", "RESUME", "", "not there yet"));
      }

      assertThat(gateway.run("watch", "settings", "--from", "99999999")).isEqualTo(1);
      assertThat(gateway.stderr())
          .contains("ahead of the cluster: the gateway waited for it 3 times");
      assertThat(gateway.watches).hasSize(3);
    }
  }
}
