package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.pem.PemSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KubeconfigTest extends KubeconfigFixture {
  private ClientConfig load(String text) throws IOException, ConfigException {
    return Kubeconfig.load(file(text), "");
  }

  @Test
  void currentContext_isUsed() throws Exception {
    ClientConfig access = load("current-context: dev\n" + CONTEXT + CLUSTER + USER);
    assertThat(access.serverUrl()).isEqualTo("https://10.0.0.1:6443/");
    assertThat(access.namespace()).isEqualTo("shop");
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Token(SECRET));
    assertThat(access.tls().authorities()).isNull();
    assertThat(access.tls().identity()).isNull();
    assertThat(access.isUnverified()).isFalse();
    assertThat(access.toString()).contains("context \"dev\"").doesNotContain(SECRET);
    assertThat(access.credentials().toString()).doesNotContain(SECRET);
  }

  @Test
  void namedContext_isUsed() throws Exception {
    String text =
        """
        current-context: dev
        contexts:
        - {name: dev, context: {cluster: none}}
        - {name: prod, context: {cluster: p}}
        clusters: [{name: p, cluster: {server: https://prod/k8s/clusters/c-1}}]
        users: null
        preferences: {}
        """;
    ClientConfig access = Kubeconfig.load(file(text), "prod");
    assertThat(access.serverUrl()).isEqualTo("https://prod/k8s/clusters/c-1");
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Anonymous());
  }

  @Test
  void duplicateEntry_firstIsUsed() throws Exception {
    String second = "- {name: c, cluster: {server: 'https://second'}}\n";
    String clusters = "clusters:\n- {name: c, cluster: {server: 'https://first'}}\n" + second;
    assertThat(load("current-context: dev\n" + CONTEXT + clusters + USER).serverUrl())
        .isEqualTo("https://first/");
  }

  @Test
  void json_isRead() throws Exception {
    String text =
        """
        {"kind":"Config","apiVersion":"v1","current-context":"dev",
         "contexts":[{"name":"dev","context":{"cluster":"c","user":"u"}}],
         "clusters":[{"name":"c","cluster":{"server":"https://[::1]:6443"}}],
         "users":[{"name":"u","user":{}}]}
        """;
    assertThat(load(text).serverUrl()).isEqualTo("https://[::1]:6443/");
  }

  @Test
  void paths_areRelativeToTheFile() throws Exception {
    Path nested = Files.createDirectory(folder.resolve("pki"));
    Files.writeString(nested.resolve("ca.crt"), CA.certificatePem());
    Files.writeString(nested.resolve("c.crt"), CLIENT.certificatePem());
    Files.writeString(nested.resolve("c.key"), CLIENT.privateKeyPkcs8Pem());
    Files.writeString(nested.resolve("token"), "from-file\n");
    ClientConfig access =
        load(
            "current-context: dev\n"
                + CONTEXT
                + cluster("certificate-authority: pki/ca.crt, tls-server-name: api.local")
                + user(
                    "client-certificate: ./pki/c.crt, client-key: pki/c.key, tokenFile:"
                        + " pki/token"));
    assertThat(access.tls().authorities())
        .isEqualTo(new PemSource.InFile(nested.resolve("ca.crt").toAbsolutePath()));
    assertThat(access.tls().serverName()).isEqualTo("api.local");
    assertThat(access.tls().identity())
        .isEqualTo(
            new TlsOptions.IdentitySource(
                new PemSource.InFile(nested.resolve("c.crt").toAbsolutePath()),
                new PemSource.InFile(nested.resolve("c.key").toAbsolutePath())));
    assertThat(access.credentials())
        .isEqualTo(new UserCredentials.TokenFile(nested.resolve("token").toAbsolutePath()));
  }

  @Test
  void inlineData_takesPrecedenceOverFile() throws Exception {
    ClientConfig access =
        load(
            "current-context: dev\n"
                + CONTEXT
                + cluster(
                    "certificate-authority: missing, certificate-authority-data: "
                        + base64(OTHER.certificatePem() + CA.certificatePem()))
                + user(
                    "client-certificate: missing, client-certificate-data: "
                        + base64(CLIENT.certificatePem())
                        + ", client-key-data: "
                        + base64(CLIENT.privateKeyPkcs8Pem())));
    assertThat(access.tls().authorities())
        .isEqualTo(new PemSource.Inline(OTHER.certificatePem() + CA.certificatePem()));
    TlsOptions.IdentitySource identity = Objects.requireNonNull(access.tls().identity());
    assertThat(identity.key()).isEqualTo(new PemSource.Inline(CLIENT.privateKeyPkcs8Pem()));
    assertThat(identity.toString()).doesNotContain("BEGIN");
  }

  @Test
  void verification_canBeDisabled() throws Exception {
    assertThat(
            load("current-context: dev\n"
                    + CONTEXT
                    + cluster("insecure-skip-tls-verify: true")
                    + USER)
                .isUnverified())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:8001", "http://127.0.0.1:8001", "http://[::1]:8001"})
  void token_mayBeSentToLoopback(String server) throws Exception {
    String clusters = "clusters: [{name: c, cluster: {server: '" + server + "'}}]\n";
    assertThat(load("current-context: dev\n" + CONTEXT + clusters + USER).serverUrl())
        .isEqualTo(server + "/");
  }

  @Test
  void password_isRead() throws Exception {
    ClientConfig access =
        load(
            "current-context: dev\n"
                + CONTEXT
                + CLUSTER
                + user("username: ann, password: c2VjcmV0"));
    assertThat(access.credentials()).isEqualTo(new UserCredentials.Password("ann", SECRET));
    assertThat(access.credentials().toString()).contains("ann").doesNotContain(SECRET);
  }

  @Test
  void impersonation_isRead() throws Exception {
    String as = "as: bob, as-uid: '7', as-groups: [a, b c], as-user-extra: {Scope/ä: [x, y]}";
    Headers.Builder headers = new Headers.Builder();
    load("current-context: dev\n" + CONTEXT + CLUSTER + user("token: t, " + as))
        .impersonation()
        .addTo(headers);
    assertThat(headers.build().toMultimap())
        .isEqualTo(
            Map.of(
                "impersonate-user", List.of("bob"),
                "impersonate-uid", List.of("7"),
                "impersonate-group", List.of("a", "b c"),
                "impersonate-extra-scope%2f%c3%a4", List.of("x", "y")));
  }

  @ParameterizedTest
  @CsvSource({
    "http://p, HTTP, p, 80, '', '', http://p:80",
    "https://p, HTTPS, p, 443, '', '', https://p:443",
    "socks5://p, SOCKS5, p, 1080, '', '', socks5://p:1080",
    "http://[::1]:3128/, HTTP, ::1, 3128, '', '', http://[::1]:3128",
    "http://ann@p:3128, HTTP, p, 3128, ann, '', http://p:3128",
    "socks5://a%40b:c2V+%3A%2Fj@10.0.0.1:1, SOCKS5, 10.0.0.1, 1, a@b, c2V+:/j, socks5://10.0.0.1:1",
  })
  void proxyCredentials_areRead(
      String url,
      KubeconfigProxy.Kind kind,
      String host,
      int port,
      String user,
      String password,
      String text)
      throws Exception {
    String clusters = cluster("proxy-url: '" + url + "'");
    ClientConfig access = load("current-context: dev\n" + CONTEXT + clusters + USER);
    assertThat(access.proxy()).isEqualTo(new KubeconfigProxy(kind, host, port, user, password));
    assertThat(access.route()).isEqualTo("https://10.0.0.1:6443/ through the proxy " + text);
  }
}
