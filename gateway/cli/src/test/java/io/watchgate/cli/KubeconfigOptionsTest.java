package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of {@code --kubeconfig} of client commands. */
@Timeout(300)
class KubeconfigOptionsTest {
  private final ScriptedGateway gateway = new ScriptedGateway();
  @TempDir private Path folder;
  private Path kubeconfig;

  @BeforeEach
  void write() throws IOException {
    kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: token
            contexts:
            - {name: token, context: {cluster: c, user: token}}
            - {name: none, context: {cluster: c, user: none}}
            - {name: password, context: {cluster: c, user: password}}
            - {name: as, context: {cluster: c, user: as}}
            - {name: plugin, context: {cluster: c, user: plugin}}
            clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
            users:
            - {name: token, user: {token: secret}}
            - {name: none, user: {}}
            - {name: password, user: {username: u, password: secret}}
            - {name: as, user: {token: secret, as: other}}
            - name: plugin
              user:
                exec:
                  apiVersion: client.authentication.k8s.io/v1
                  command: sh
                  args: [-c, "echo no login today >&2; exit 3"]
            """);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          none | has no user with credentials; name another context with --context
          password | the user has a name and a password, which a gateway does not accept
          as | impersonates another one
          plugin | exec plugin sh
          missing | has no context "missing"
          """)
  void unusableUser_isExplained(String context, String explanation) {
    assertThat(gateway.run("types", "--kubeconfig", kubeconfig.toString(), "--context", context))
        .isEqualTo(1);

    assertThat(gateway.stderr())
        .contains(explanation)
        .doesNotContain("secret", "Exception", "watchgate serve");
  }

  @Test
  void contextOfEnvironment_isOneOfKubeconfigOption_unlessThereIsAnother() {
    gateway.environment.put("WATCHGATE_KUBE_CONTEXT", "none");
    assertThat(gateway.run("types", "--kubeconfig", kubeconfig.toString())).isEqualTo(1);
    assertThat(gateway.stderr()).contains("has no user with credentials");

    gateway.environment.put("WATCHGATE_KUBECONFIG", "/no/such/file");
    assertThat(gateway.run("types", "--kubeconfig", kubeconfig.toString()))
        .as(gateway.stderr())
        .isZero();
  }

  @Test
  void withoutTls_toOtherMachine_isRefused() {
    assertThat(gateway.run("types", "--server", "gateway.example:7443", "--kubeconfig", "x"))
        .isEqualTo(2);

    assertThat(gateway.stderr())
        .contains("--kubeconfig: credentials of a kubeconfig are not sent without TLS");

    assertThat(gateway.run("types", "--server", "gateway.example:7443", "--bearer-token-file", "x"))
        .isEqualTo(2);
    assertThat(gateway.stderr()).contains("--bearer-token-file: a token is not sent without TLS");
  }

  @Test
  void withoutTls_toThisMachine_isAccepted() {
    assertThat(gateway.run("types", "--kubeconfig", kubeconfig.toString()))
        .as(gateway.stderr())
        .isZero();
  }

  @Test
  void otherCredentials_excludeEachOther_optionWinsOverEnvironment() {
    assertThat(gateway.run("types", "--kubeconfig", "x", "--bearer-token-file", "y")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("exclude each other");
    assertThat(gateway.run("types", "--context", "x")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("--kubeconfig too", "--gateway-context");

    gateway.environment.put("WATCHGATE_TOKEN_FILE", "/no/such/file");
    assertThat(gateway.run("types", "--kubeconfig", kubeconfig.toString()))
        .as(gateway.stderr())
        .isZero();
  }
}
