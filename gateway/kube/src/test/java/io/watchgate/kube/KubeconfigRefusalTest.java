package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that an error in a kubeconfig is reported with its location, and without the file's
 * content.
 */
final class KubeconfigRefusalTest extends KubeconfigFixture {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''| is empty",
        "hello| is not a kubeconfig: a mapping was expected",
        "[1]| is not a kubeconfig: a mapping was expected",
        "kind: Pod| is not a kubeconfig: its kind is not Config",
        "a: {token: c2VjcmV0| is not YAML: line 2, column 1",
        "token: c2VjcmV0: c2VjcmV0| is not YAML: line 1, column 16",
        "{contexts: c2VjcmV0}| contexts must be a list",
        "{contexts: [c2VjcmV0]}| contexts[0] must be a mapping",
        "{contexts: [{name: 7}]}| contexts[0]: name must be text; put it in quotes",
        "{contexts: [{name: a, context: c2VjcmV0}]}| context \"a\": context must be a mapping",
        "current-context: 5| current-context must be text; put it in quotes",
        "{}| names no current-context; set one, or name one of its contexts with --context: none",
      })
  void otherFile_isRejected(String text, String problem) throws IOException {
    Path file = file(text + "\n");
    assertThatThrownBy(() -> Kubeconfig.load(file, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(file + ": ")
        .hasMessageEndingWith(problem)
        .message()
        .doesNotContain(SECRET);
  }

  @Test
  void unreadableFile_isNamed() throws IOException {
    assertThatThrownBy(() -> Kubeconfig.load(folder.resolve("none"), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            folder.resolve("none")
                + ": there is no such file; name your kubeconfig with --kubeconfig");
    assertThatThrownBy(() -> Kubeconfig.load(folder, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(folder + ": cannot be read");
    assertThatThrownBy(() -> Kubeconfig.load(shared.resolve("binary"), ""))
        .isInstanceOf(ConfigException.class)
        .hasMessage(shared.resolve("binary") + ": is not UTF-8 text");
  }

  static Stream<Arguments> brokenEntries() {
    String noSuch = "there is no such file";
    return Stream.of(
        Arguments.of(
            "", "", "", "has no context \"dev\", which is its current-context; it has none"),
        Arguments.of(
            "contexts: [{name: a, context: {}}, {name: b, context: {}}]\n",
            "",
            "",
            "has no context \"dev\", which is its current-context; it has a, b"),
        Arguments.of("contexts: [{name: dev}]\n", CLUSTER, USER, "context \"dev\": has no cluster"),
        Arguments.of(
            CONTEXT,
            "",
            USER,
            "context \"dev\": names cluster \"c\", which is not among the clusters (none)"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            "users: [{name: v, user: {}}]\n",
            "context \"dev\": names user \"u\", which is not among the users (v)"),
        Arguments.of(CONTEXT, "clusters: [{name: c}]\n", USER, "cluster \"c\": has no server"),
        Arguments.of(
            CONTEXT,
            "clusters: [{name: c, cluster: {server: '10.0.0.1:6443'}}]\n",
            USER,
            "cluster \"c\": server is not a URL such as https://10.0.0.1:6443"),
        Arguments.of(
            CONTEXT,
            "clusters: [{name: c, cluster: {server: 'https://a:c2VjcmV0@b'}}]\n",
            USER,
            "cluster \"c\": server must be scheme, host, port and path only"),
        Arguments.of(
            CONTEXT,
            "clusters: [{name: c, cluster: {server: 'http://10.0.0.1'}}]\n",
            USER,
            "would be sent unprotected; use https"),
        Arguments.of(
            CONTEXT, cluster("certificate-authority: nowhere.crt"), USER, "nowhere.crt: " + noSuch),
        Arguments.of(
            CONTEXT,
            cluster("certificate-authority-data: '%%%'"),
            USER,
            "cluster \"c\": certificate-authority-data is not base64"),
        Arguments.of(
            CONTEXT,
            cluster("certificate-authority-data: " + base64("c2VjcmV0")),
            USER,
            "cluster \"c\": certificate-authority holds no PEM certificate"),
        Arguments.of(
            CONTEXT,
            cluster(
                "certificate-authority-data: "
                    + base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")),
            USER,
            "cluster \"c\": certificate-authority holds a certificate that cannot be read"),
        Arguments.of(
            CONTEXT,
            cluster("insecure-skip-tls-verify: 'yes'"),
            USER,
            "cluster \"c\": insecure-skip-tls-verify must be true or false"),
        Arguments.of(
            CONTEXT,
            cluster("insecure-skip-tls-verify: 'true'"),
            USER,
            "cluster \"c\": insecure-skip-tls-verify must be true or false"),
        Arguments.of(
            CONTEXT,
            cluster("insecure-skip-tls-verify: 1"),
            USER,
            "cluster \"c\": insecure-skip-tls-verify must be true or false"),
        Arguments.of(
            CONTEXT,
            cluster("insecure-skip-tls-verify: [true]"),
            USER,
            "cluster \"c\": insecure-skip-tls-verify must be true or false"),
        Arguments.of(
            CONTEXT,
            cluster(
                "insecure-skip-tls-verify: true, certificate-authority-data: "
                    + base64(CA.certificatePem())),
            USER,
            "has both insecure-skip-tls-verify and a certificate-authority; remove one of them"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: 123"),
            "user \"u\": token must be text; put it in quotes"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: 'c2VjcmV0 x'"),
            "user \"u\": token holds white space or characters that no token has"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("tokenFile: DIR/none"),
            "user \"u\": tokenFile: cannot read " + shared + "/none: " + noSuch),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("tokenFile: DIR/empty"),
            "empty is empty, where a token was expected"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("tokenFile: DIR/two-lines"),
            "two-lines holds white space or characters that no token has"),
        Arguments.of(CONTEXT, CLUSTER, user("tokenFile: DIR/binary"), "binary is not text"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("client-certificate: DIR/client.crt"),
            "user \"u\": has a client-certificate without client-key"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("client-key: DIR/client.key"),
            "user \"u\": has a client-key without client-certificate"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("client-certificate: DIR/client.crt, client-key: DIR/token"),
            "user \"u\": client-key holds no PEM private key"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("client-certificate: DIR/client.crt, client-key: DIR/other.key"),
            "user \"u\": client-key is not the key of client-certificate"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("auth-provider: {name: oidc}"),
            "auth-provider is not supported"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("password: c2VjcmV0"),
            "user \"u\": has a password without username"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("username: ann, password: c2VjcmV0, token: x"),
            "has both a token and a username; remove one of them"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("username: 'a:b', password: c2VjcmV0"),
            "username or password holds characters that cannot be sent"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: x, as-groups: [admins]"),
            "has as-uid, as-groups or as-user-extra without as, the user's name"),
        Arguments.of(
            CONTEXT, CLUSTER, user("token: x, as: a, as-groups: b"), "as-groups must be a list"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: x, as: a, as-groups: [1]"),
            "as-groups[0] must be text; put it in quotes"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: x, as: a, as-user-extra: {1: [b]}"),
            "as-user-extra: the key 1 must be text; put it in quotes"),
        Arguments.of(
            CONTEXT,
            CLUSTER,
            user("token: x, as: a, as-user-extra: {b: c}"),
            "as-user-extra: b must be a list"),
        Arguments.of(
            CONTEXT, CLUSTER, user("token: x, as: \"a\\r\\nb\""), "must be printable ASCII"));
  }

  @ParameterizedTest
  @MethodSource("brokenEntries")
  void brokenEntry_isNamedWithTheDefect(
      String contexts, String clusters, String users, String problem) throws IOException {
    Path file = file("current-context: dev\n" + contexts + clusters + users);
    assertThatThrownBy(() -> Kubeconfig.load(file, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(file + ": ")
        .hasMessageContaining(problem)
        .message()
        .doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "command: aws| has no apiVersion",
        "apiVersion: client.authentication.k8s.io/v1| has no command",
        "command: aws, apiVersion: client.authentication.k8s.io/v1alpha1| apiVersion is none of",
        "V1, command: [aws]| command must be text",
        "V1, command: aws, args: c2VjcmV0| args must be a list",
        "V1, command: aws, args: [1]| args[0] must be text; put it in quotes",
        "V1, command: aws, env: {A: c2VjcmV0}| env must be a list",
        "V1, command: aws, env: [{value: c2VjcmV0}]| env[0]: has no name",
        "V1, command: aws, env: [{name: A=B, value: x}]| env[0]: no variable of a process",
        "V1, command: aws, env: [{name: A, value: 1}]| env[0]: value must be text; put it in"
            + " quotes",
        "V1, command: aws, interactiveMode: Always| a gateway has no terminal",
        "V1, command: aws, interactiveMode: Sometimes| must be Never, IfAvailable or Always",
        "V1, command: aws, provideClusterInfo: 'no'| provideClusterInfo must be true or false",
      })
  void unusableExecPlugin_isRejected(String exec, String problem) throws IOException {
    String members = exec.replace("V1", "apiVersion: client.authentication.k8s.io/v1");
    Path file =
        file("current-context: dev\n" + CONTEXT + CLUSTER + user("exec: {" + members + "}"));
    assertThatThrownBy(() -> Kubeconfig.load(file, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(file + ": user \"u\": exec: ")
        .hasMessageContaining(problem)
        .message()
        .doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3128| must begin with http://, https:// or socks5://",
        "p:3128| must begin with http://, https:// or socks5://",
        "ftp://u:c2VjcmV0@p| must begin with http://, https:// or socks5://",
        "http://u:c2VjcmV0 @p| is not a URL such as http://10.0.0.1:3128",
        "http://| is not a URL such as http://10.0.0.1:3128",
        "http:///x| names no host and port, such as http://10.0.0.1:3128",
        "http://p:70000| names no host and port, such as http://10.0.0.1:3128",
        "http://u:c2VjcmV0@| names no host and port, such as http://10.0.0.1:3128",
        "http://u:c2VjcmV0^@p| is not a URL such as http://10.0.0.1:3128",
        "http://u:c2VjcmV0%zz@p| is not a URL such as http://10.0.0.1:3128",
        "http://u:c2VjcmV0#x@p:1| names no host and port, such as http://10.0.0.1:3128",
        "http://p:31x| names no host and port, such as http://10.0.0.1:3128",
        "http://p:0| names no host and port, such as http://10.0.0.1:3128",
        "http://a b| names no host and port, such as http://10.0.0.1:3128",
        "socks5h://p:1080| must begin with http://, https:// or socks5://",
      })
  void invalidProxy_isRejected(String url, String problem) throws IOException {
    Path file =
        file("current-context: dev\n" + CONTEXT + cluster("proxy-url: '" + url + "'") + USER);
    assertThatThrownBy(() -> Kubeconfig.load(file, ""))
        .isInstanceOf(ConfigException.class)
        .hasMessage(file + ": cluster \"c\": proxy-url " + problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server: 'http://10.0.0.1'",
        "server: 'http://127.example.com'",
        "server: 'http://localhost:8001', proxy-url: 'http://10.0.0.1:3128'",
      })
  void password_isNotSentOverPlainHttp(String cluster) throws IOException {
    Path file =
        file(
            "current-context: dev\n"
                + CONTEXT
                + "clusters: [{name: c, cluster: {"
                + cluster
                + "}}]\n"
                + user("username: ann, password: c2VjcmV0"));
    assertThatThrownBy(() -> Kubeconfig.load(file, ""))
        .hasMessageContaining("would be sent unprotected; use https");
  }

  @Test
  void misspeltContext_errorHasSimilarNames() throws IOException {
    Path file = file("contexts: [{name: dev}, {name: prod}, {name: prod-eu}, {name: staging}]");
    assertThatThrownBy(() -> Kubeconfig.load(file, "prdo"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            file
                + ": has no context \"prdo\"; it has dev, prod, prod-eu, staging; did you mean"
                + " prod?");
  }

  @Test
  void manyContexts_errorNamesSome() throws IOException {
    StringBuilder contexts = new StringBuilder("contexts:\n");
    for (int i = 100; i < 150; i++) {
      contexts.append("- {name: context-").append(i).append("}\n");
    }
    Path file = file(contexts.toString());
    assertThatThrownBy(() -> Kubeconfig.load(file, "production"))
        .isInstanceOf(ConfigException.class)
        .hasMessageEndingWith("context-118, context-119 and 30 more");
  }

  @Test
  void missingContext_errorNamesTheOthers() throws IOException {
    Path file = file(CONTEXT);
    assertThatThrownBy(() -> Kubeconfig.load(file, "prod"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(file + ": has no context \"prod\"; it has dev");
  }
}
