package io.watchgate.kube;

import static io.watchgate.kube.PluginScript.V1;
import static io.watchgate.kube.PluginScript.credential;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the input of an exec plugin, and of the errors when it fails. */
final class PluginProcessTest extends KubeconfigFixture {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private static ExecCredential run(ExecPlugin plugin, Duration limit) throws IOException {
    return ExecCredential.of(ExecPluginProcess.start(plugin).output(limit), plugin);
  }

  private PluginScript script() {
    return new PluginScript(folder);
  }

  /** Returns the plugin of a kubeconfig, with these members of {@code exec}. */
  private ExecPlugin configured(String clusters, String exec) throws Exception {
    Path file =
        file(
            "current-context: dev\n"
                + CONTEXT
                + clusters
                + user(
                    "exec: {apiVersion: " + V1 + ", " + exec.replace("HERE", "" + folder) + "}"));
    UserCredentials credentials = Kubeconfig.load(file, "").credentials();
    assertThat(credentials.toString()).doesNotContain(SECRET);
    return ((UserCredentials.Plugin) credentials).plugin();
  }

  // ---- input

  private JsonElement told(ExecPlugin plugin) throws IOException {
    script()
        .does(
            "printf %s \"$KUBERNETES_EXEC_INFO\" > HERE/told; echo \"$1 $A $HOME\" > HERE/seen; echo '"
                    .replace("HERE", folder.toString())
                + credential("\"token\":\"t\"")
                + "'");
    assertThat(run(plugin, LIMIT).login()).isEqualTo(RequestCredentials.bearer("t"));
    return JsonParser.parseString(Files.readString(folder.resolve("told")));
  }

  @Test
  void plugin_getsArgumentsAndEnvironment() throws Exception {
    ExecPlugin plugin =
        configured(
            CLUSTER,
            "interactiveMode: IfAvailable, command: sh, args: [HERE/plugin.sh, one], env: [{name:"
                + " A, value: c2VjcmV0}]");
    assertThat(told(plugin))
        .isEqualTo(
            JsonParser.parseString(
                "{\"kind\":\"ExecCredential\",\"apiVersion\":\""
                    + V1
                    + "\",\"spec\":{\"interactive\":false}}"));
    assertThat(folder.resolve("seen"))
        .hasContent("one " + SECRET + " " + System.getenv("HOME") + "\n");
  }

  @Test
  void plugin_getsClusterInfoOnRequest() throws Exception {
    Files.writeString(folder.resolve("ca.crt"), CA.certificatePem());
    String cluster =
        cluster(
            "certificate-authority: ca.crt, tls-server-name: api, extensions: [{name: other},"
                + " {name: client.authentication.k8s.io/exec, extension: {audience: [1, a]}}]");
    ExecPlugin plugin =
        configured(cluster, "command: sh, args: [HERE/plugin.sh], provideClusterInfo: true");
    assertThat(told(plugin).getAsJsonObject().getAsJsonObject("spec").get("cluster"))
        .isEqualTo(
            JsonParser.parseString(
                "{\"server\":\"https://10.0.0.1:6443\",\"tls-server-name\":\"api\","
                    + "\"config\":{\"audience\":[1,\"a\"]},\"certificate-authority-data\":\""
                    + base64(CA.certificatePem())
                    + "\"}"));
  }

  @Test
  void relativeCommand_isResolvedFromTheFile() throws Exception {
    // A link, for a program that was just written may not be executed.
    Files.createSymbolicLink(folder.resolve("plugin"), Path.of("/bin/sh"));
    ExecPlugin plugin = configured(CLUSTER, "command: ./plugin, args: [HERE/plugin.sh]");
    script().prints(credential("\"token\":\"t\""));
    assertThat(run(plugin, LIMIT).login()).isEqualTo(RequestCredentials.bearer("t"));
  }

  // ---- failures

  private static AbstractThrowableAssert<?, ? extends Throwable> problem(
      ExecPlugin plugin, Duration limit) {
    return problem(() -> run(plugin, limit));
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> problem(ThrowingCallable run) {
    return assertThatThrownBy(run)
        .isInstanceOf(IOException.class)
        .hasMessageNotContainingAny(SECRET, "\n", "Exception", "null")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(600));
  }

  static Stream<Arguments> bad() {
    String token = "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + V1 + "\",";
    return Stream.of(
        Arguments.of("", "it printed nothing to stdout"),
        Arguments.of("c2VjcmV0", "what it printed to stdout is no JSON object"),
        Arguments.of("[\"c2VjcmV0\"]", "what it printed to stdout is no JSON object"),
        Arguments.of("{\"token\":\"c2VjcmV0", "what it printed to stdout is no JSON object"),
        Arguments.of("{\"kind\":\"c2VjcmV0\"}", "what it printed to stdout is no ExecCredential"),
        Arguments.of(
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"c2VjcmV0\"}",
            "its ExecCredential is of another apiVersion, but the kubeconfig names " + V1),
        Arguments.of(
            "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + V1 + "beta1\"}",
            "is of apiVersion " + V1 + "beta1, but the kubeconfig names " + V1),
        Arguments.of(token + "\"spec\":{}}", "it gave neither a token nor a client certificate"),
        Arguments.of(credential(""), "it gave neither a token nor a client certificate"),
        Arguments.of(
            credential("\"token\":\"c2VjcmV0 \""), "its token holds white space or characters"),
        Arguments.of(
            credential("\"token\":\"t\",\"expirationTimestamp\":\"c2VjcmV0\""),
            "its expirationTimestamp is not a time such as 2030-01-31T12:00:00Z"),
        Arguments.of(
            credential("\"token\":\"t\",\"expirationTimestamp\":1893456000"),
            "of its ExecCredential's status, expirationTimestamp is not a string"),
        Arguments.of(
            credential("\"token\":\"t\",\"expirationTimestamp\":[\"2030-01-31T12:00:00Z\"]"),
            "expirationTimestamp is not a string"),
        Arguments.of(credential("\"token\":7"), "token is not a string"),
        Arguments.of(
            credential("\"token\":\"t\",\"clientKeyData\":true"), "clientKeyData is not a string"),
        Arguments.of(token + "\"status\":[]}", "status is not an object"),
        Arguments.of(credential("\"token\":\"t\"") + "{}", "is no JSON object"),
        Arguments.of(
            credential("\"clientKeyData\":\"c2VjcmV0\""),
            "it gave a clientKeyData without clientCertificateData"),
        Arguments.of(
            credential("\"clientCertificateData\":\"c2VjcmV0\""),
            "it gave a clientCertificateData without clientKeyData"),
        Arguments.of(
            credential("\"clientCertificateData\":\"c2VjcmV0\",\"clientKeyData\":\"c2VjcmV0\""),
            "its client-certificate holds no PEM certificate"));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void invalidOutput_isNotQuoted(String printed, String problem) throws IOException {
    problem(script().prints(printed).plugin(), LIMIT)
        .hasMessageStartingWith("config: user \"u\": exec plugin sh: ")
        .hasMessageContaining(problem);
  }

  @Test
  void failingPlugin_errorHasStderr() throws IOException {
    problem(
            script()
                .does("echo c2VjcmV0; echo 'first line' >&2; echo 'log in: aws sso' >&2; exit 7")
                .plugin(),
            LIMIT)
        .hasMessage(
            "config: user \"u\": exec plugin sh: it ended with exit code 7, saying: first line |"
                + " log in: aws sso; run it by hand to see why");
    problem(script().does("exit 1").plugin(), LIMIT)
        .hasMessageEndingWith(
            "it ended with exit code 1 and said nothing on stderr; run it by hand to see why");
  }

  @Test
  void tokenLikeStderr_isRedacted() throws IOException {
    String token = "eyJhbGciOiJSUzI1NiJ9." + "eyJzdWIiOiJhbm4ifQ".repeat(5) + ".x-_y";
    problem(script().does("echo 'bad token " + token + " given' >&2; exit 1").plugin(), LIMIT)
        .hasMessageContaining("saying: bad token … given;");
  }

  @Tag("slow")
  @Test
  void stderr_isBoundedAndNoCredential() throws IOException {
    PluginScript script =
        script()
            .does(
                "head -c 3000000 /dev/zero | tr '\\0' 'a' >&2; seq 1 100000 >&2; echo '"
                    + credential("\"token\":\"t\"")
                    + "'");
    assertThat(run(script.plugin(), LIMIT).login()).isEqualTo(RequestCredentials.bearer("t"));
    script.does("head -c 3000000 /dev/zero | tr '\\0' ' ' >&2; seq 1 100000 >&2; exit 1");
    problem(script.plugin(), LIMIT).hasMessageContaining("99999 | 100000; run it by hand");
  }

  @Test
  void endlessOutput_isRejected() throws IOException {
    problem(script().does("head -c 3000000 /dev/zero").plugin(), LIMIT)
        .hasMessageContaining("it printed more than 1 MiB to stdout");
  }

  @Tag("slow")
  @Test
  void hangingPlugin_isKilledWithDescendants() throws IOException {
    Path pids = folder.resolve("pids");
    PluginScript script =
        script().does("sleep 60 & echo waiting >&2; echo $! > " + pids + "; wait");
    ExecPluginProcess started = ExecPluginProcess.start(script.plugin());
    await().until(() -> Files.exists(pids) && Files.readString(pids).endsWith("\n"));
    problem(() -> started.output(Duration.ofMillis(500)))
        .hasMessageContaining("it did not end within 500 ms, saying: waiting;");
    long child = Long.parseLong(Files.readString(pids).strip());
    await().until(() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void stdin_isClosed() throws IOException {
    problem(script().does("read answer || { echo 'no answer' >&2; exit 2; }").plugin(), LIMIT)
        .hasMessageContaining("exit code 2, saying: no answer;");
  }

  @Test
  void missingCommand_errorHasInstallHint() throws Exception {
    problem(configured(CLUSTER, "command: no-such-plugin-of-watchgate"), LIMIT)
        .hasMessageEndingWith(
            "config: user \"u\": exec plugin no-such-plugin-of-watchgate: it is not in PATH;"
                + " install it, or correct the command");
    problem(
            configured(
                CLUSTER, "command: ./nowhere, installHint: \"Get it\\nfrom example.com.\\n\""),
            LIMIT)
        .hasMessageEndingWith(
            "/nowhere: there is no such file; install hint: Get it from example.com.");
    Files.writeString(folder.resolve("plain"), "");
    problem(configured(CLUSTER, "command: ./plain"), LIMIT)
        .hasMessageEndingWith("/plain: this user may not execute it");
  }

  @Test
  void otherFile_isReported() throws Exception {
    Path file = Files.writeString(folder.resolve("broken"), "#!/no/such/interpreter\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    problem(configured(CLUSTER, "command: ./broken"), LIMIT)
        .hasMessageContaining("/broken: it cannot be run: ");
  }
}
