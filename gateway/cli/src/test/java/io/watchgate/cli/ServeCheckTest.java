package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.grpc.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Protocol;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of {@code watchgate serve --check} with an apiserver that gives scripted answers. */
@Timeout(300)
final class ServeCheckTest {
  private static final String REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

  private static final String NAMES = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

  private static final String CORE =
      """
      {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",
       "items":[{"metadata":{"name":""},"versions":[
        {"version":"v1","freshness":"Current","resources":[
          {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced",
           "singularResource":"pod","shortNames":["po"],"verbs":["get","list","watch"]}]}]}]}
      """;

  @TempDir private Path folder;
  private final MockWebServer server = new MockWebServer();
  private final Set<String> asked = new ConcurrentSkipListSet<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private volatile Set<String> denied = Set.of();
  private volatile String account = "";
  private volatile int reviewCode = 201;
  private volatile String status = "";
  private volatile boolean discoveryFails;

  @BeforeEach
  void start() throws IOException {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return switch (request.getUrl().encodedPath()) {
              case "/api" -> discoveryFails ? answer(500, "{}") : discovery(CORE);
              case "/apis" ->
                  discovery(
                      "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"items\":[]}");
              case NAMES -> name();
              case REVIEWS -> review(Objects.requireNonNull(request.getBody()).utf8());
              default -> answer(404, "{}");
            };
          }
        });
    server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static MockResponse answer(int code, String json) {
    return new MockResponse.Builder()
        .code(code)
        .setHeader("Content-Type", "application/json")
        .body(json)
        .build();
  }

  private static MockResponse discovery(String json) {
    return answer(200, json)
        .newBuilder()
        .setHeader(
            "Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
        .build();
  }

  private MockResponse name() {
    return account.isEmpty()
        ? answer(404, "{}")
        : answer(
            201,
            """
            {"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1",
             "status":{"userInfo":{"username":"%s"}}}
            """
                .formatted(account));
  }

  private MockResponse review(String body) {
    JsonObject spec = JsonParser.parseString(body).getAsJsonObject().getAsJsonObject("spec");
    String right = right(spec);
    asked.add(right);
    String answer =
        status.isEmpty()
            ? "{\"allowed\":%s}".formatted(denied.stream().noneMatch(right::startsWith))
            : status;
    return answer(
        reviewCode,
        reviewCode == 201
            ? """
            {"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":%s}
            """
                .formatted(answer)
            : "{\"kind\":\"Status\",\"code\":%d,\"message\":\"scripted\"}".formatted(reviewCode));
  }

  private static String right(JsonObject spec) {
    JsonObject of = spec.getAsJsonObject("nonResourceAttributes");
    if (of != null) {
      return of.get("verb").getAsString() + " " + of.get("path").getAsString();
    }
    JsonObject on = spec.getAsJsonObject("resourceAttributes");
    return "%s %s/%s/%s/%s"
        .formatted(
            on.get("verb").getAsString(),
            on.get("group").getAsString(),
            on.get("resource").getAsString(),
            on.get("namespace").getAsString(),
            on.get("name").getAsString());
  }

  private int check(String... options) throws IOException {
    Path kubeconfig =
        Files.writeString(
            folder.resolve("config"),
            """
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            users: [{name: u, user: {}}]
            current-context: c
            """
                .formatted(server.getPort()));
    List<String> line =
        new ArrayList<>(List.of("serve", "--check", "--kubeconfig", kubeconfig.toString()));
    line.addAll(List.of(options));
    return Main.run(
        out,
        new PrintStream(err, true, StandardCharsets.UTF_8),
        InstantSource.system(),
        line.toArray(new String[0]));
  }

  private String stdout() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String stderr() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void check_discoveryFails_saysThatRightsAreUnknown() throws IOException {
    discoveryFails = true;

    assertThat(check("--type", "po")).isEqualTo(1);
    assertThat(stdout()).isEmpty();
    assertThat(stderr()).contains("the apiserver did not say which rights the account has");
  }

  @Test
  void check_withoutType_saysThatReadingWasNotChecked() throws IOException {
    assertThat(check()).isZero();
    assertThat(stderr())
        .contains("no right is missing")
        .contains("; no --type was given, so rights to read types were not checked\n");
  }

  @Test
  void check_allAllowed_asksForTheNeedsOfTheOptions() throws IOException {
    assertThat(check("--type", "po", "--balance", "gates/blue")).isZero();
    assertThat(stdout()).isEmpty();
    assertThat(stderr()).contains("no right is missing").doesNotContain("not checked");
    assertThat(asked)
        .containsExactlyInAnyOrder(
            "get /api",
            "get /apis",
            "list /pods//",
            "watch /pods//",
            "get apiextensions.k8s.io/customresourcedefinitions//",
            "list apiextensions.k8s.io/customresourcedefinitions//",
            "get /namespaces//kube-system",
            "list coordination.k8s.io/leases/gates/",
            "create coordination.k8s.io/leases/gates/",
            "patch coordination.k8s.io/leases/gates/",
            "delete coordination.k8s.io/leases/gates/");
  }

  @Test
  void check_callersAuthenticated_asksForReviewsAndRoles() throws IOException {
    assertThat(check("--cluster-name", "c", "--token-review")).isZero();
    assertThat(asked)
        .contains(
            "create authentication.k8s.io/tokenreviews//",
            "create authorization.k8s.io/subjectaccessreviews//",
            "list rbac.authorization.k8s.io/roles//",
            "watch rbac.authorization.k8s.io/clusterrolebindings//")
        .noneMatch(right -> right.contains("kube-system"));
  }

  @Test
  void check_rightsMissing_printsRolesWithOnlyThose() throws IOException {
    denied = Set.of("watch /pods", "get /apis", "get /namespaces", "patch coordination");

    assertThat(check("--type", "pods", "--balance", "gates/blue")).isEqualTo(1);
    assertThat(stderr()).contains("rights are missing; name the gateway's account");
    assertThat(stdout())
        .contains(
            "kind: ClusterRole\n",
            "  - {nonResourceURLs: [\"/apis\", \"/apis/*\"], verbs: [get]}\n",
            "  # objects of the type (--type pods)\n",
            "  - {apiGroups: [\"\"], resources: [pods], verbs: [watch]}\n",
            "resources: [namespaces], resourceNames: [kube-system], verbs: [get]}",
            "kind: Role\nmetadata: {name: watchgate-missing-",
            ", namespace: \"gates\"}\n",
            "  - {kind: ServiceAccount, namespace: NAMESPACE, name: ACCOUNT}",
            "  - {apiGroups: [\"coordination.k8s.io\"], resources: [leases], verbs: [patch]}\n")
        .doesNotContain("customresourcedefinitions");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          system:serviceaccount:gates:blue | {kind: ServiceAccount, namespace: "gates", name: "blue"}
          a "b": c | {apiGroup: rbac.authorization.k8s.io, kind: User, name: "a \\"b\\": c"}
          """)
  void check_rightsMissing_bindsThemToTheAccount(String name, String subject) throws IOException {
    account = name.replace("\"", "\\\"");
    denied = Set.of("watch /pods");

    assertThat(check("--type", "pods")).isEqualTo(1);
    assertThat(stderr()).contains("rights are missing for " + name + "; kubectl apply");
    assertThat(stdout()).contains("kind: ClusterRoleBinding\n", "subjects:\n  - " + subject + "\n");
  }

  @Test
  void check_rightsOfOneReason_haveOneComment() throws IOException {
    denied = Set.of("list rbac", "watch rbac");

    assertThat(check("--token-review")).isEqualTo(1);
    assertThat(stdout())
        .containsOnlyOnce("# end of streams soon after a right is revoked")
        .contains("resources: [roles]", "resources: [clusterrolebindings]");
  }

  @Test
  void check_otherRightsOrAccount_haveAnotherName() throws IOException {
    denied = Set.of("watch /pods");
    assertThat(check("--type", "pods")).isEqualTo(1);
    String first = stdout();
    out.reset();

    denied = Set.of("list /pods");
    assertThat(check("--type", "pods")).isEqualTo(1);
    String second = stdout();
    assertThat(nameIn(second)).isNotEqualTo(nameIn(first));
    out.reset();

    account = "somebody else";
    assertThat(check("--type", "pods")).isEqualTo(1);
    assertThat(nameIn(stdout())).isNotEqualTo(nameIn(second));
  }

  private static String nameIn(String yaml) {
    return yaml.lines().filter(line -> line.startsWith("metadata:")).findFirst().orElseThrow();
  }

  @Test
  void check_unknownType_saysSoAndFails() throws IOException {
    assertThat(check("--type", "pots")).isEqualTo(1);
    assertThat(stderr()).contains("the apiserver has no type pots; near: pods");
    assertThat(stdout()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "404, has no SelfSubjectAccessReview",
    "401, refused the credentials",
    "403, may not ask for its own rights",
    "500, did not say which rights"
  })
  void check_reviewRefused_saysOneSentence(int code, String sentence) throws IOException {
    reviewCode = code;

    assertThat(check()).isEqualTo(1);
    assertThat(stderr())
        .startsWith("watchgate serve: the a")
        .contains(sentence)
        .satisfies(text -> assertThat(text.lines()).hasSize(1));
    assertThat(stdout()).isEmpty();
  }

  @Test
  void check_deniedBesideAllowed_isMissing() throws IOException {
    status = "{\"allowed\":true,\"denied\":true}";

    assertThat(check()).isEqualTo(1);
    assertThat(stdout()).contains("customresourcedefinitions");
  }

  @Test
  void check_apiserverAway_saysSo() throws IOException {
    int port = server.getPort();
    server.close();

    assertThat(check()).isEqualTo(1);
    assertThat(stderr())
        .contains("the apiserver cannot be reached", ":" + port)
        .satisfies(text -> assertThat(text.lines()).hasSize(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--tls-cert FILE --tls-key FILE",
        "--token-file FILE",
        "--tls-cert CERT --tls-key KEY --tls-client-ca FILE",
        "--tls-cert CERT --tls-key KEY --token-review --kube-listen 127.0.0.1:0"
            + " --kube-client-ca FILE",
      })
  void check_fileIsMissing_saysSoBesideTheRights(String options) throws IOException {
    HeldCertificate own = TestAuthority.named("gate");
    Path cert = Files.writeString(folder.resolve("tls.crt"), own.certificatePem());
    Path key = Files.writeString(folder.resolve("tls.key"), own.privateKeyPkcs8Pem());
    String line =
        options
            .replace("FILE", folder.resolve("none").toString())
            .replace("CERT", cert.toString())
            .replace("KEY", key.toString());

    assertThat(check(line.split(" "))).isEqualTo(1);
    assertThat(stderr())
        .startsWith("watchgate serve: ")
        .contains(folder.resolve("none").toString(), "no right is missing");
  }

  @Test
  void check_withSandbox_isRefused() {
    assertThat(
            Main.run(
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                InstantSource.system(),
                "serve",
                "--check",
                "--sandbox"))
        .isEqualTo(2);
    assertThat(stderr()).contains("--check is for an apiserver; leave --sandbox out");
  }
}
