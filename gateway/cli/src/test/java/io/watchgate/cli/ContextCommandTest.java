package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.proto.v1.ListResourceTypesResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of contexts and of environment variables that name the gateway. */
@Timeout(300)
final class ContextCommandTest {
  @TempDir private Path home;

  private final ScriptedGateway gateway = new ScriptedGateway();

  @BeforeEach
  void setHome() {
    gateway.environment.put("HOME", home.toString());
    gateway.types = ListResourceTypesResponse.getDefaultInstance();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private Path file() {
    return home.resolve(".config/watchgate/contexts.json");
  }

  @Test
  void add_firstContext_isUsedByCommands() throws IOException {
    assertThat(gateway.runUnchanged("context", "add", "prod", "--server", gateway.address()))
        .isZero();

    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: context 'prod' was written to "
                + file()
                + ", and commands use it now; 'watchgate types' tries it\n");
    assertThat(gateway.runUnchanged("types")).as(gateway.stderr()).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void address_isUsualOnlyIfNothingNamesAnother() {
    ServerAddress usual = new ServerAddress("127.0.0.1", 7443);
    assertThat(ClientOptions.isUsual(usual, gateway.environment)).isTrue();
    assertThat(ClientOptions.isUsual(new ServerAddress("127.0.0.1", 7444), gateway.environment))
        .isFalse();
    gateway.environment.put("WATCHGATE_CONTEXT", "prod");
    assertThat(ClientOptions.isUsual(usual, gateway.environment)).isFalse();
    gateway.environment.remove("WATCHGATE_CONTEXT");
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1");
    assertThat(ClientOptions.isUsual(usual, gateway.environment)).isFalse();
  }

  @Test
  void use_list_show_remove() {
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1", "--server", "gate:2");
    gateway.runUnchanged("context", "add", "test", "--server", gateway.address());
    assertThat(gateway.stderr())
        .endsWith(", and commands still use 'prod'; 'watchgate context use test' changes that\n");
    assertThat(gateway.stdout()).isEmpty();
    assertThat(gateway.runUnchanged("context", "list")).isZero();
    assertThat(gateway.stdout())
        .isEqualTo(
            """
            CURRENT   NAME   SERVER
            *         prod   gate:1,gate:2
                      test   %s
            """
                .formatted(gateway.address()));

    assertThat(gateway.runUnchanged("context", "use", "test")).isZero();
    assertThat(gateway.stderr()).isEqualTo("watchgate: commands use context 'test' now\n");
    assertThat(gateway.runUnchanged("types")).as(gateway.stderr()).isZero();
    gateway.stdout();
    assertThat(gateway.runUnchanged("context", "show", "prod")).isZero();
    assertThat(gateway.stdout()).isEqualTo("{\"server\":[\"gate:1\",\"gate:2\"]}\n");

    assertThat(gateway.runUnchanged("context", "remove", "test")).isZero();
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: context 'test' was removed, and commands use 127.0.0.1:7443 now;"
                + " 'watchgate context use NAME' chooses one of prod\n");
    assertThat(gateway.runUnchanged("context", "use", "test")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("there is no Watchgate context 'test'", "known are prod");
  }

  @Test
  void remove_otherOrLastContext_saysWhatCommandsUse() {
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1");
    gateway.runUnchanged("context", "add", "test", "--server", "gate:2");
    gateway.stderr();

    assertThat(gateway.runUnchanged("context", "remove", "test")).isZero();
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: context 'test' was removed, and commands still use 'prod'\n");
    assertThat(gateway.runUnchanged("context", "remove", "prod")).isZero();
    assertThat(gateway.stderr())
        .isEqualTo("watchgate: context 'prod' was removed, and commands use 127.0.0.1:7443 now\n");
  }

  @Test
  void noContextIsChosen_addressSaysSo() {
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1");
    gateway.runUnchanged("context", "add", "test", "--server", "gate:2");
    gateway.runUnchanged("context", "remove", "prod");
    ClientOptions options = new ClientOptions(gateway.environment);

    assertThat(options.where())
        .isEqualTo(
            "127.0.0.1:7443 (no Watchgate context is chosen; 'watchgate context use NAME' chooses"
                + " one)");
  }

  @Test
  void fileOfContext_isMissing_errorNamesContext() throws IOException {
    Path ca = Files.createFile(home.resolve("ca.crt"));
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1", "--tls-ca", ca.toString());
    Files.delete(ca);
    gateway.stderr();

    assertThat(gateway.runUnchanged("types")).isEqualTo(1);
    assertThat(gateway.stderr()).contains(ca.toString(), "no such file (Watchgate context 'prod')");
    assertThat(gateway.runUnchanged("types", "--tls-ca", "/no/own.crt")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("/no/own.crt").doesNotContain("context");
  }

  @Test
  void add_keepsAbsolutePaths_andNoSecret() throws IOException {
    Path token = Files.writeString(home.resolve("reader.token"), "secret");
    assertThat(
            gateway.runUnchanged(
                "context",
                "add",
                "prod",
                "--server",
                "gate:1",
                "--tls-ca",
                "pom.xml",
                "--tls-server-name",
                "watchgate.watchgate.svc",
                "--bearer-token-file",
                token.toString()))
        .isZero();

    assertThat(Files.readString(file()))
        .contains(
            "\"tls-ca\": \"" + Path.of("pom.xml").toAbsolutePath() + "\"",
            "\"tls-server-name\": \"watchgate.watchgate.svc\"",
            "\"bearer-token-file\": \"" + token + "\"")
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--tls-ca", "--bearer-token-file", "--kubeconfig"})
  void add_fileIsMissing_isRefused(String option) {
    assertThat(
            gateway.runUnchanged("context", "add", "x", "--server", "[::1]:1", option, "/no/file"))
        .isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: "
                + option
                + " /no/file: there is no such file; the context was not written\n");
    assertThat(file()).doesNotExist();
  }

  @Test
  void add_nameWithBlanks_isRefused() {
    assertThat(gateway.runUnchanged("context", "add", "a b", "--server", "gate:1")).isEqualTo(2);
    assertThat(gateway.stderr()).contains("'a b': the name of a context has no blanks");
  }

  @Test
  void show_withoutName_printsCurrentContext() {
    assertThat(gateway.runUnchanged("context", "show")).isEqualTo(1);
    assertThat(gateway.stderr())
        .isEqualTo(
            "watchgate: no Watchgate context is chosen; 'watchgate context use NAME' chooses"
                + " one\n");
    gateway.runUnchanged("context", "add", "prod", "--server", "gate:1,[::1]:2");
    gateway.stderr();

    assertThat(gateway.runUnchanged("context", "show")).isZero();
    assertThat(gateway.stdout()).isEqualTo("{\"server\":[\"gate:1\",\"[::1]:2\"]}\n");
  }

  @Test
  void environment_namesGateway_beforeContext() {
    gateway.runUnchanged("context", "add", "prod", "--server", "127.0.0.1:1");
    gateway.environment.put("WATCHGATE_SERVER", gateway.address());

    assertThat(gateway.runUnchanged("types")).as(gateway.stderr()).isZero();
  }

  @Test
  void option_namesGateway_contextIsNotMixedIn() throws IOException {
    Path token = Files.createFile(home.resolve("token"));
    gateway.runUnchanged(
        "context",
        "add",
        "prod",
        "--server",
        "gate:1",
        "--tls",
        "--bearer-token-file",
        token.toString());
    Files.delete(token);

    assertThat(gateway.run("types")).as(gateway.stderr()).isZero();
  }

  @Test
  void gatewayContext_choosesContext_notBesideServer() {
    gateway.runUnchanged("context", "add", "prod", "--server", "127.0.0.1:1");
    gateway.runUnchanged("context", "add", "test", "--server", gateway.address());

    assertThat(gateway.runUnchanged("types", "--gateway-context", "test")).isZero();
    gateway.environment.put("WATCHGATE_CONTEXT", "test");
    assertThat(gateway.runUnchanged("types")).isZero();
    assertThat(gateway.run("types", "--gateway-context", "test")).isEqualTo(2);
    assertThat(gateway.stderr())
        .contains("--gateway-context names a gateway, and so does --server");
    assertThat(gateway.runUnchanged("types", "--gateway-context", "tset")).isEqualTo(1);
    assertThat(gateway.stderr())
        .contains("there is no Watchgate context 'tset'", "context list")
        .doesNotContain("--help");
  }

  /** The variables are those of another gateway, the token included. */
  @Test
  void gatewayContext_winsOverVariablesOfAnotherGateway() {
    gateway.runUnchanged("context", "add", "test", "--server", gateway.address());
    gateway.environment.put("WATCHGATE_SERVER", "127.0.0.1:1");
    gateway.environment.put("WATCHGATE_TOKEN_FILE", "missing");

    assertThat(gateway.runUnchanged("types", "--gateway-context", "test"))
        .as(gateway.stderr())
        .isZero();
  }

  @Test
  void unreachableGateway_messageNamesItsContext() {
    gateway.runUnchanged("context", "add", "prod", "--server", "127.0.0.1:1");

    assertThat(gateway.runUnchanged("types")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("127.0.0.1:1 (Watchgate context 'prod')");
    gateway.environment.put("WATCHGATE_SERVER", "127.0.0.1:2");
    assertThat(gateway.runUnchanged("types")).isEqualTo(1);
    assertThat(gateway.stderr()).contains("127.0.0.1:2 (WATCHGATE_SERVER)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ | is no JSON",
        "[] | is no JSON object",
        "{\"current\":\"a\",\"contexts\":{\"a\":{\"tlsca\":\"x\"}}} | context 'a': there is no"
            + " field 'tlsca'; known are server",
        "{\"current\":\"a\",\"contexts\":{\"a\":{\"server\":[\"x\"]}}} | context 'a': 'x' is not"
            + " HOST:PORT",
        "{\"current\":\"a\",\"contexts\":{\"a\":{\"server\":\"g:1\",\"tls-ca\":5}}} | context 'a':"
            + " tls-ca is not text",
        "{\"current\":\"a\",\"contexts\":{\"a\":{\"server\":[]}}} | context 'a' has no server",
        "{\"current\":\"a\",\"contexts\":{\"a\":7}} | context 'a' is no JSON object",
        "{\"current\":\"b\",\"contexts\":{}} | there is no Watchgate context 'b'",
      })
  void brokenFile_isNamedInError_andNotReplaced(String content, String message) throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(file(), content);

    assertThat(gateway.runUnchanged("types")).isEqualTo(1);
    assertThat(gateway.stderr()).contains(file().toString(), message).doesNotContain("Exception");
    assertThat(Files.readString(file())).isEqualTo(content);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "context | ACTION is missing; it is one of list, add, use, show, remove",
        "context use | NAME of the context is missing",
        "context add | NAME of the context is missing",
        "context list x | list takes no NAME",
        "context add x | --server is missing",
        "context forget x | ACTION: 'forget' is none of list, add, use, show, remove",
        "context add x --server gate:1 --tls-server-name n | is of use with TLS only",
      })
  void wrongLine_isExplained(String line, String message) {
    assertThat(gateway.runUnchanged(line.split(" "))).isEqualTo(2);
    assertThat(gateway.stderr()).contains(message);
  }
}
