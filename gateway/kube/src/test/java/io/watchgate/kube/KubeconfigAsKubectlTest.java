package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of odd files that kubectl accepts; the values are those that client-go 0.36 reads. */
final class KubeconfigAsKubectlTest extends KubeconfigFixture {
  private static final String HEAD = "current-context: dev\n";
  private static final String GOOD = HEAD + CONTEXT + CLUSTER + USER;

  static Stream<Arguments> oddFiles() {
    return Stream.of(
        Arguments.of("a mark of the byte order", "\uFEFF" + GOOD),
        Arguments.of("lines that end with CR and LF", GOOD.replace("\n", "\r\n")),
        Arguments.of("a second document", GOOD + "---\ncurrent-context: other\n"),
        Arguments.of("a second document that is broken", GOOD + "---\n{[\n"),
        Arguments.of("rubbish after the end of the document", GOOD + "...\nrubbish: [\n"),
        Arguments.of("a comment without an end of line", GOOD + "# end"),
        Arguments.of("the last of two values", "current-context: x\n" + GOOD),
        Arguments.of("the last of two lists", HEAD + CONTEXT + "clusters: []\n" + CLUSTER + USER),
        Arguments.of(
            "the last of two tokens",
            HEAD + CONTEXT + CLUSTER + user("token: a, token: " + SECRET)),
        Arguments.of("a tab behind a colon", HEAD.replace(": ", ":\t") + CONTEXT + CLUSTER + USER),
        Arguments.of(
            "a token in a block",
            HEAD
                + CONTEXT
                + CLUSTER
                + "users:\n- name: u\n  user:\n    token: |\n      c2VjcmV0\n"),
        Arguments.of(
            "a merge key",
            "x: &x {server: 'https://10.0.0.1:6443'}\n"
                + HEAD
                + CONTEXT
                + "clusters: [{name: c, cluster: {<<: *x}}]\n"
                + USER),
        Arguments.of(
            "an anchor",
            HEAD
                + CONTEXT
                + CLUSTER
                + "users: [{name: v, user: &a {token: c2VjcmV0}}, {name: u, user: *a}]\n"),
        Arguments.of("a tag of its own", "x: !foo bar\ny: !foo {a: [!bar b]}\n" + GOOD),
        Arguments.of(
            "binary data", HEAD + CONTEXT + CLUSTER + user("token: !!binary YzJWamNtVjA=")),
        Arguments.of("keys that are no text", "1: x\ntrue: y\nyes: z\n" + GOOD),
        Arguments.of("keys that are not known", "extra: [1]\n" + HEAD + CONTEXT + CLUSTER + USER),
        Arguments.of(
            "keys that differ in case",
            HEAD
                + CONTEXT
                + "clusters: [{name: c, cluster: {Server: 7, server: 'https://10.0.0.1:6443'}}]\n"
                + USER),
        Arguments.of(
            "an entry without a name",
            HEAD
                + "contexts: [{context: {cluster: x}}, {name: dev, context: {cluster: c, user:"
                + " u}}]\n"
                + CLUSTER
                + USER),
        Arguments.of(
            "an entry that is null",
            HEAD
                + "contexts: [null, {name: dev, context: {cluster: c, user: u}}]\n"
                + CLUSTER
                + USER),
        Arguments.of(
            "a token file that is not there beside a token",
            HEAD + CONTEXT + CLUSTER + user("token: c2VjcmV0, tokenFile: DIR/none")),
        Arguments.of(
            "values that are null",
            HEAD
                + CONTEXT
                + cluster("insecure-skip-tls-verify: null, proxy-url: ~, tls-server-name:")
                + user("token: c2VjcmV0, as: ~, as-groups: null, exec: null, username:")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("oddFiles")
  void oddFile_isRead(String what, String text) throws Exception {
    ClientConfig access = Kubeconfig.load(file(text), "");
    assertThat(access.serverUrl()).isEqualTo("https://10.0.0.1:6443/");
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Token(SECRET));
    assertThat(access.isUnverified()).isFalse();
  }

  /** The encoding that PowerShell writes. */
  @Test
  void utf16_isRead() throws Exception {
    Path file = folder.resolve("config");
    Files.write(file, ("\uFEFF" + GOOD).getBytes(StandardCharsets.UTF_16LE));
    assertThat(Kubeconfig.load(file, "").serverUrl()).isEqualTo("https://10.0.0.1:6443/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "true", "True", "TRUE"})
  void yaml11Yes_isTrue(String flag) throws Exception {
    String cluster = cluster("insecure-skip-tls-verify: " + flag);
    assertThat(Kubeconfig.load(file(HEAD + CONTEXT + cluster + USER), "").isUnverified()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"no", "NO", "n", "N", "off", "Off", "false", "FALSE", "~"})
  void yaml11No_isFalse(String flag) throws Exception {
    String cluster = cluster("insecure-skip-tls-verify: " + flag);
    assertThat(Kubeconfig.load(file(HEAD + CONTEXT + cluster + USER), "").isUnverified()).isFalse();
  }

  /** Here kubectl requires quotes. */
  @Test
  void yaml11YesAsText_isText() throws Exception {
    String contexts = "contexts: [{name: on, context: {cluster: c, user: u, namespace: no}}]\n";
    ClientConfig access =
        Kubeconfig.load(file("current-context: on\n" + contexts + CLUSTER + user("token: y")), "");
    assertThat(access.namespace()).isEqualTo("no");
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Token("y"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://my_proxy:3128 | http://my_proxy:3128 | '' | ''",
        "http://user:p@ss@my_proxy:3128 | http://my_proxy:3128 | user | p@ss",
        "HTTP://p:3128 | http://p:3128 | '' | ''",
        "http://u:p%40s+s@p | http://p:80 | u | p@s+s",
        "http://u:a:b@p | http://p:80 | u | a:b",
        "http://:pw@p | http://p:80 | '' | pw",
        "https://p: | https://p:443 | '' | ''",
        "socks5://p:3128/path?q=1#f | socks5://p:3128 | '' | ''",
        "http://[::1]:3128 | http://[::1]:3128 | '' | ''",
        "http://pröxy:3128 | http://xn--prxy-6qa:3128 | '' | ''",
      })
  void proxyUrl_isParsedAsByGo(String url, String address, String user, String password)
      throws Exception {
    String cluster = cluster("proxy-url: '" + url + "'");
    KubeconfigProxy proxy =
        Objects.requireNonNull(Kubeconfig.load(file(HEAD + CONTEXT + cluster + USER), "").proxy());
    assertThat(proxy).hasToString(address);
    assertThat(List.of(proxy.user(), proxy.password())).containsExactly(user, password);
  }

  @Test
  void serverWithUnderscore_isRead() throws Exception {
    String clusters = "clusters: [{name: c, cluster: {server: 'https://my_host:6443'}}]\n";
    assertThat(Kubeconfig.load(file(HEAD + CONTEXT + clusters + USER), "").serverUrl())
        .isEqualTo("https://my_host:6443/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# nothing yet\n", "---\n"})
  void emptyFileAmongSeveral_isIgnored(String empty) throws Exception {
    Path nothing = Files.writeString(folder.resolve("empty"), empty);
    String variable =
        String.join(File.pathSeparator, "", nothing.toString(), "/none", file(GOOD).toString(), "");
    assertThat(Kubeconfig.loadAll(variable, "").serverUrl()).isEqualTo("https://10.0.0.1:6443/");
    assertThatThrownBy(() -> Kubeconfig.loadAll(nothing.toString(), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("only files that are empty or missing (" + nothing + ")");
  }

  @Test
  void yaml11YesInPluginConfig_isBoolean() throws Exception {
    String members =
        "server: 'https://10.0.0.1:6443', extensions: [{name: client.authentication.k8s.io/exec,"
            + " extension: {audience: x, strict: yes, quoted: 'no'}}]";
    KubeconfigSection section = section(members);
    ExecInfo info = ExecInfo.withCluster("v1", section, KubeconfigCluster.of(section));
    assertThat(info.json())
        .contains("\"config\":{\"audience\":\"x\",\"strict\":true,\"quoted\":\"no\"}");
  }

  private KubeconfigSection section(String members) throws IOException, ConfigException {
    Path file = file("clusters: [{name: c, cluster: {" + members + "}}]\n");
    return Objects.requireNonNull(KubeconfigFile.read(file).clusters().get("c"));
  }
}
