package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands that present a kubeconfig's user to a gateway with TLS and token reviews. The address in
 * the kubeconfig is one at which no server listens.
 */
@WithSharedApiserver
@TestInstance(Lifecycle.PER_CLASS)
final class KubeconfigIdentityTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private static Path folder;

  private Apiserver apiserver;
  private NamespaceReaders readers;
  private NamespaceReaders.Reader reader;
  private PrivateKey key;
  private String namespace;
  private SecuredGateway gateway;
  private CountingWriter writer;

  @BeforeAll
  void start(Apiserver shared) {
    apiserver = shared;
    readers = new NamespaceReaders(shared);
    key = EcKeys.read(shared.file(Credential.ACCOUNTS_KEY));
    namespace = readers.namespace("kubeconfig");
    reader = readers.create(namespace);
    writer = CountingWriter.in(shared.cluster(), namespace);
    readers.rights().in(namespace, Subject.user("judy"), Rule.watching("configmaps"));
    gateway =
        SecuredGateway.open(
            GatewayAccount.create(
                shared,
                folder,
                "kubeconfig-gateway",
                List.of(Type.CONFIGMAPS),
                GatewayAccount.REVIEWS_AND_ROLES),
            "--tls-cert",
            shared.file(Credential.SERVER).toString(),
            "--tls-key",
            shared.file(Credential.SERVER_KEY).toString(),
            "--tls-client-ca",
            shared.file(Credential.AUTHORITY).toString(),
            "--token-review",
            "--token-audience",
            GatewayAccount.AUDIENCE,
            "--token-audience",
            audience(readers.accounts().directToken(reader.account())),
            "--type",
            "configmaps");
    gateway.awaitReady(); // a list of a type that loads reports that it waits
  }

  @AfterAll
  void close() {
    if (writer != null) {
      writer.close();
    }
    if (gateway != null) {
      gateway.close();
    }
  }

  /** Returns the first audience of a token, as the documents say how to find it. */
  private static String audience(String token) {
    String payload =
        new String(
            Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8);
    return Json.parse(payload).at("/aud/0").textValue();
  }

  private static Path kubeconfig(String name, String user) throws IOException {
    return Files.writeString(
        folder.resolve(name),
        """
        apiVersion: v1
        kind: Config
        current-context: none
        contexts:
        - {name: none, context: {cluster: c, user: none}}
        - {name: reader, context: {cluster: c, user: reader}}
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
        users: [{name: none, user: {}}, {name: reader, user: %s}]
        """
            .formatted(user));
  }

  private Command command(Path kubeconfig, String... line) {
    List<String> all = new ArrayList<>(List.of(line));
    all.addAll(List.of("configmaps", "-n", namespace, "-o", "name"));
    all.addAll(List.of("--server", "127.0.0.1:" + gateway.port()));
    all.addAll(List.of("--tls-ca", apiserver.file(Credential.AUTHORITY).toString()));
    all.addAll(List.of("--kubeconfig", kubeconfig.toString(), "--context", "reader"));
    return Command.start(all.toArray(String[]::new));
  }

  private void assertCanList(Path kubeconfig) {
    try (Command list = command(kubeconfig, "list")) {
      assertThat(list.awaitEnd()).isZero();
      assertThat(list.err()).isEmpty();
      assertThat(list.out()).isNotEmpty();
    }
  }

  @Test
  void tokenForApiserver_audienceGivenToGateway_isAccepted() throws IOException {
    String token = readers.accounts().directToken(reader.account());

    assertCanList(kubeconfig("direct", "{token: " + token + "}"));
  }

  @Test
  void clientCertificate_inKubeconfig_isAccepted() throws IOException {
    ClientCertificate judy =
        ClientCertificate.signed(
            ClientCertificate.Authority.of(apiserver), "CN=judy", Instant.now().plus(HOUR));

    assertCanList(
        kubeconfig(
            "certificate",
            "{client-certificate-data: %s, client-key-data: %s}"
                .formatted(base64(judy.certificate()), base64(judy.key()))));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes what the plugin prints: a token for the apiserver, as those of clouds and OIDC are,
   * without the time at which it expires.
   */
  private void printToken(Duration lifetime) throws IOException {
    Path fresh =
        Files.writeString(
            folder.resolve("answer.new"),
            """
            {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
             "status":{"token":"%s"}}
            """
                .formatted(AccountToken.forApiserver(reader.account(), lifetime).signed(key)));
    Files.move(
        fresh,
        folder.resolve("answer"),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  /** Returns a plugin that waits for the first answer. */
  private static String plugin(Path runs) {
    return """
    echo run >> '%1$s'
    until [ -e '%2$s' ]; do sleep 0.1; done
    cat '%2$s'
    """
        .formatted(runs, folder.resolve("answer"));
  }

  @Test
  void execPlugin_tokenExpires_watchGoesOnWithNextToken() throws IOException {
    Path runs = Files.createFile(folder.resolve("runs"));
    Path script = Files.writeString(folder.resolve("plugin.sh"), plugin(runs));
    Path kubeconfig =
        kubeconfig(
            "plugin",
            "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, args: [%s]}}"
                .formatted(script));

    ShortLived.untilBegun(
        expires -> {
          try {
            return goesOn(kubeconfig, runs, Duration.between(Instant.now(), expires));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Returns false if the watch has not begun in the first half of the token's lifetime. */
  private boolean goesOn(Path kubeconfig, Path runs, Duration lifetime) throws IOException {
    Files.deleteIfExists(folder.resolve("answer"));
    Files.writeString(runs, "");
    try (Command watch = command(kubeconfig, "watch")) {
      // Not before: on a busy machine the token would expire before the command has started.
      await().atMost(Subscriber.LIMIT).until(() -> !Files.readAllLines(runs).isEmpty());
      Instant half = Instant.now().plus(lifetime.dividedBy(2));
      printToken(lifetime);
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> !watch.out().isEmpty() || Instant.now().isAfter(half));
      printToken(HOUR);
      if (watch.out().isEmpty() || Instant.now().isAfter(half)) {
        return false;
      }
      await()
          .atMost(Subscriber.LIMIT.plus(lifetime))
          .until(() -> Files.readAllLines(runs).size() >= 2);
      watch.awaitErr("nothing was missed");
      int before = watch.out().size();
      int written = writer.value();
      await().atMost(Subscriber.LIMIT).until(() -> writer.value() > written + 5);
      await().atMost(Subscriber.LIMIT).until(() -> watch.out().size() > before);
      assertThat(watch.process().isAlive()).as(watch.err().toString()).isTrue();
      return true;
    }
  }
}
