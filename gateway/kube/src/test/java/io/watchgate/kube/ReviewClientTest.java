package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.JSON;
import static io.watchgate.kube.ApiserverStub.TEXT;
import static io.watchgate.kube.ApiserverStub.TOKEN;
import static io.watchgate.kube.ApiserverStub.status;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonParser;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.ReviewUnavailableException;
import io.watchgate.auth.UserInfo;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the exact content of reviews, and of the answers that are a yes. */
@Tag("slow")
@Timeout(300)
final class ReviewClientTest {
  /** Token of a caller; {@link ApiserverStub#TOKEN} is the gateway's own. */
  private static final String SHOWN = "t0ken-of-the-caller";

  /** Longer than a loaded machine stands still while a test holds the answers. */
  private static final Duration LONG = Duration.ofMinutes(3);

  private static final String JANES_YES =
      "\"audiences\":[\"watchgate\"],\"user\":{\"username\":\"jane\"}}}";

  private static final UserInfo JANE =
      new UserInfo("jane", "u1", List.of("devs", "ops"), Map.of("scopes", List.of("a", "b")));

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private ReviewClient reviews;
  private ReviewClient.ReviewPool lane;

  @BeforeEach
  void connect() throws ConfigException {
    reviews =
        ReviewClient.of(
            stub.access(new UserCredentials.Token(TOKEN)),
            KubeSettings.DEFAULT.withRequestTimeout(LONG));
    lane = reviews.pool(32, 1_000, LONG);
  }

  @AfterEach
  void close() {
    reviews.close();
  }

  private interface Question {
    Object ask() throws ReviewUnavailableException, InterruptedException;
  }

  private static String unanswered(Question question) {
    try {
      throw new AssertionError("an answer: " + question.ask());
    } catch (ReviewUnavailableException e) {
      String message = String.valueOf(e.getMessage());
      assertThat(message).doesNotContain(TOKEN, SHOWN, "\n").isNotEmpty();
      assertThat(e).hasNoCause();
      return message;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Optional<UserInfo> reviewed() throws ReviewUnavailableException, InterruptedException {
    return lane.review(SHOWN, List.of("watchgate", "other"));
  }

  private static AccessAttributes.ResourceAccess listing(
      ApiResource type, List<String> namespaces, String labels, String fields) throws Exception {
    TypeDefinition definition =
        new TypeDefinition(type, "", List.of(), List.of("list", "watch"), "", List.of());
    CompiledSelection selection =
        CompiledSelection.of(SelectableFields.of(definition), namespaces, labels, fields);
    return (AccessAttributes.ResourceAccess)
        AccessAttributes.of(selection, List.of(AccessAttributes.Verb.LIST)).getFirst();
  }

  private boolean allowed(AccessAttributes access)
      throws ReviewUnavailableException, InterruptedException {
    return lane.isAllowed(JANE, access);
  }

  private static final AccessAttributes PAGE = new AccessAttributes.NonResourceAccess("/metrics");

  private void assertAsked(String path, String json) throws InterruptedException {
    RecordedRequest request = stub.request();
    assertThat(request.getMethod()).isEqualTo("POST");
    assertThat(request.getUrl().encodedPath()).isEqualTo(path);
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer " + TOKEN);
    assertThat(request.getHeaders().get("Content-Type")).startsWith(JSON);
    assertThat(request.getUrl().toString()).doesNotContain(SHOWN);
    assertThat(JsonParser.parseString(Objects.requireNonNull(request.getBody()).utf8()))
        .isEqualTo(JsonParser.parseString(json));
  }

  private static String accessReview(String status) {
    return "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\","
        + "\"status\":"
        + status
        + "}";
  }

  private void answerToken(String status) {
    stub.answer("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\"," + status);
  }

  private void answerAccess(String status) {
    stub.answer(accessReview(status));
  }

  // ---- tokens

  @Test
  void tokenReview_sendsAudiencesAndReadsCompleteUser() throws Exception {
    stub.answer(
        201,
        JSON,
        """
        {"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","metadata":{},
         "status":{"authenticated":true,"audiences":["other"],"user":{"username":"jane",
         "uid":"u1","groups":["ops","devs"],"extra":{"scopes":["a","b"]}}}}\
        """);

    assertThat(reviewed()).contains(JANE);
    assertAsked(
        "/apis/authentication.k8s.io/v1/tokenreviews",
        """
        {"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",
         "spec":{"token":"t0ken-of-the-caller","audiences":["watchgate","other"]}}\
        """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"status\":{\"authenticated\":true,\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[],\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"https://kubernetes\"],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":\"watchgate\","
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":false,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"audiences\":[\"watchgate\"],\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":1,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],\"user\":{}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"]}}",
        "\"status\":{\"error\":\"invalid bearer token\"}}",
        "\"status\":true}",
        "\"spec\":{\"authenticated\":true}}",
        "\"status\":{\"authenticated\":\"true\"," + JANES_YES,
        "\"status\":{\"authenticated\":\"TRUE\"," + JANES_YES,
        "\"status\":{\"authenticated\":[true]," + JANES_YES,
        "\"status\":{\"authenticated\":{\"a\":true}," + JANES_YES,
        "\"status\":{\"authenticated\":null," + JANES_YES,
        "\"status\":{\"Authenticated\":true," + JANES_YES,
        "\"status\":{\"authenticated\":true,\"error\":\"no such key\"," + JANES_YES,
        "\"status\":{\"authenticated\":true,\"error\":1," + JANES_YES,
        "\"spec\":{\"status\":{\"authenticated\":true," + JANES_YES + "}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\",1],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":{\"watchgate\":true},"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[[\"watchgate\"]],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"Watchgate\"],"
            + "\"user\":{\"username\":\"jane\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":\"\"}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":1}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":[\"jane\"]}}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],\"user\":\"jane\"}}",
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"]},"
            + "\"user\":{\"username\":\"jane\"}}",
      })
  void otherTokenAnswer_isNo(String status) throws Exception {
    answerToken(status);

    assertThat(reviewed()).isEmpty();
  }

  /** A user with missing parts would have other rights. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"groups\":\"ops\"",
        "\"groups\":[\"ops\",1]",
        "\"groups\":[\"ops\",null]",
        "\"groups\":[[\"ops\"]]",
        "\"groups\":{\"ops\":true}",
        "\"uid\":7",
        "\"uid\":{}",
        "\"extra\":[]",
        "\"extra\":\"scopes\"",
        "\"extra\":{\"scopes\":\"a\"}",
        "\"extra\":{\"scopes\":[\"a\",true]}",
      })
  void user_withMemberOfAnotherType_isRejected(String member) {
    answerToken(
        "\"status\":{\"authenticated\":true,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":\"jane\","
            + member
            + "}}}");

    assertThat(unanswered(this::reviewed)).contains("TokenReview has an invalid user");
  }

  @Test
  void user_withNullMembers_hasNone() throws Exception {
    answerToken(
        "\"status\":{\"authenticated\":true,\"error\":null,\"audiences\":[\"watchgate\"],"
            + "\"user\":{\"username\":\"jane\",\"uid\":null,\"groups\":null,\"extra\":null}}}");

    assertThat(reviewed()).contains(new UserInfo("jane", "", List.of(), Map.of()));
  }

  // ---- rights

  @Test
  void selectors_areSentAsFarAsReviewsSupport() throws Exception {
    answerAccess("{\"allowed\":true}");
    AccessAttributes.ResourceAccess access =
        listing(
            ApiserverStub.PODS,
            List.of("a"),
            "app in (x,y),tier notin (z),env=prod,here,!gone,n>5,m<7",
            "metadata.name=web,status.phase!=Running");

    assertThat(allowed(access)).isTrue();
    assertAsked(
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        """
        {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{
         "user":"jane","uid":"u1","groups":["devs","ops"],"extra":{"scopes":["a","b"]},
         "resourceAttributes":{"verb":"list","group":"","version":"v1","resource":"pods",
          "namespace":"a","name":"web",
          "fieldSelector":{"requirements":[
           {"key":"metadata.name","operator":"In","values":["web"]},
           {"key":"status.phase","operator":"NotIn","values":["Running"]}]},
          "labelSelector":{"requirements":[
           {"key":"gone","operator":"DoesNotExist"},
           {"key":"app","operator":"In","values":["x","y"]},
           {"key":"env","operator":"In","values":["prod"]},
           {"key":"here","operator":"Exists"},
           {"key":"tier","operator":"NotIn","values":["z"]}]}}}}\
        """);
  }

  @Test
  void withoutSelectors_noneAreSent() throws Exception {
    answerAccess("{\"allowed\":true}");
    answerAccess("{\"allowed\":true}");

    assertThat(allowed(listing(ApiserverStub.WIDGETS, List.of(), "", ""))).isTrue();
    assertThat(allowed(listing(ApiserverStub.WIDGETS, List.of(), "n>5", ""))).isTrue();
    for (int i = 0; i < 2; i++) {
      assertAsked(
          "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          """
          {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{
           "user":"jane","uid":"u1","groups":["devs","ops"],"extra":{"scopes":["a","b"]},
           "resourceAttributes":{"verb":"list","group":"x.io","version":"v1",
            "resource":"widgets","namespace":"","name":""}}}\
          """);
    }
  }

  @Test
  void page_isReviewedByPath() throws Exception {
    answerAccess("{\"allowed\":true}");

    assertThat(allowed(PAGE)).isTrue();
    assertAsked(
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        """
        {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{
         "user":"jane","uid":"u1","groups":["devs","ops"],"extra":{"scopes":["a","b"]},
         "nonResourceAttributes":{"path":"/metrics","verb":"get"}}}\
        """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"allowed":true} | true
          {"allowed":true,"denied":false,"reason":"RBAC: allowed"} | true
          {"allowed":true,"evaluationError":"no such role"} | true
          {"allowed":true,"denied":true} | false
          {"allowed":false} | false
          {"denied":true} | false
          {"allowed":false,"evaluationError":"no such role"} | false
          {"allowed":1} | false
          {"allowed":"yes"} | false
          {"allowed":"true"} | false
          {"allowed":"TRUE"} | false
          {"allowed":[true]} | false
          {"allowed":{"a":true}} | false
          {"allowed":null} | false
          {"Allowed":true} | false
          {"status":{"allowed":true}} | false
          {"allowed":true,"denied":"true"} | false
          {"allowed":true,"denied":"false"} | false
          {"allowed":true,"denied":1} | false
          {"allowed":true,"denied":[]} | false
          {"allowed":true,"denied":null} | true
          {"allowed":true,"evaluationError":1} | false
          {"allowed":true,"evaluationError":{"a":"b"}} | false
          "allowed" | false
          true | false
          {} | false
          [] | false
          """)
  void otherAccessAnswer_isNo(String status, boolean yes) throws Exception {
    answerAccess(status);

    assertThat(allowed(PAGE)).isEqualTo(yes);
  }

  // ---- no answer

  @Test
  void forbiddenReview_errorNamesTheRight() {
    stub.answer(403, JSON, status(403, "Forbidden", "user gate cannot create"));
    stub.answer(403, JSON, status(403, "Forbidden", "user gate cannot create"));

    assertThat(unanswered(this::reviewed))
        .contains(
            "user gate cannot create",
            "grant the gateway create on tokenreviews.authentication.k8s.io");
    assertThat(unanswered(() -> allowed(PAGE)))
        .contains("grant the gateway create on subjectaccessreviews.authorization.k8s.io");
  }

  /** Unauthenticated callers may read the remedy. */
  @Test
  void remedy_namesOnlyRightOrKind() {
    stub.answer(403, JSON, status(403, "Forbidden", "user gate cannot create"));
    stub.answer(404, TEXT, "404 page not found\n");
    stub.answer(500, TEXT, "not now");

    assertThat(remedy(this::reviewed))
        .isEqualTo("this gateway lacks the right to create tokenreviews.authentication.k8s.io");
    assertThat(remedy(() -> allowed(PAGE))).isEqualTo("it has no SubjectAccessReview");
    assertThat(remedy(this::reviewed)).isEmpty();
  }

  private static String remedy(Question question) {
    try {
      throw new AssertionError("an answer: " + question.ask());
    } catch (ReviewUnavailableException e) {
      return e.remedy();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void apiserverWithoutReviews_errorNamesTheOption() {
    stub.answer(404, TEXT, "404 page not found\n");
    stub.answer(404, TEXT, "404 page not found\n");

    assertThat(unanswered(this::reviewed))
        .contains(
            "no TokenReview (",
            "serve authentication.k8s.io/v1 there, or leave --token-review out");
    assertThat(unanswered(() -> allowed(PAGE)))
        .contains("no SubjectAccessReview (", "or set --authorization none");
  }

  @Test
  void has_readsDiscovery() throws Exception {
    stub.answer("{\"kind\":\"APIResourceList\"}");
    assertThat(reviews.has(ReviewClient.Kind.TOKEN_REVIEW)).isTrue();
    assertThat(stub.request().getUrl().encodedPath()).isEqualTo("/apis/authentication.k8s.io/v1");
    stub.answer(404, TEXT, "404 page not found\n");
    assertThat(reviews.has(ReviewClient.Kind.SUBJECT_ACCESS_REVIEW)).isFalse();
    stub.answer(503, TEXT, "not now");
    assertThat(reviews.has(ReviewClient.Kind.SUBJECT_ACCESS_REVIEW))
        .as("unknown, so assumed")
        .isTrue();
    stub.answer("{\"gitVersion\":\"v1.36.3+watchgate\"}");
    assertThat(reviews.isSandbox()).isTrue();
    stub.answer("{\"gitVersion\":\"v1.36.3\"}");
    assertThat(reviews.isSandbox()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "401, Unauthorized",
    "404, NotFound",
    "422, Invalid",
    "429, TooManyRequests",
    "500, InternalError",
    "503, ServiceUnavailable",
    "504, Timeout"
  })
  void errorAnswer_isNeitherYesNorNo(int code, String reason) {
    stub.answer(code, JSON, status(code, reason, "the apiserver says why"));
    stub.answer(code, JSON, status(code, reason, "the apiserver says why"));

    assertThat(unanswered(this::reviewed)).contains(Integer.toString(code), "says why");
    assertThat(unanswered(() -> allowed(PAGE))).contains(Integer.toString(code));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ok",
        "null",
        "[]",
        "{",
        "{}",
        "{\"kind\":\"Status\",\"status\":{\"allowed\":true,\"authenticated\":true}}",
        "{\"kind\":\"SubjectAccessReviewList\",\"status\":{\"allowed\":true}}",
        "<html>sign in</html>",
        "{\"kind\":\"SubjectAccessReview\",\"status\":{\"allowed\":true}}",
        "{\"apiVersion\":\"authorization.k8s.io/v1beta1\",\"kind\":\"SubjectAccessReview\","
            + "\"status\":{\"allowed\":true}}",
        "{\"apiVersion\":1,\"kind\":true,\"status\":{\"allowed\":true}}",
      })
  void otherDocument_isNeitherYesNorNo(String body) {
    stub.answer(body);
    stub.answer(201, JSON, body);

    assertThat(unanswered(this::reviewed)).contains("TokenReview");
    assertThat(unanswered(() -> allowed(PAGE))).contains("SubjectAccessReview");
  }

  /** Parsers differ in their reading of such an answer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"allowed\":true,\"allowed\":false}",
        "{\"allowed\":false,\"allowed\":true}",
        "{\"allowed\":true,\"\\u0061llowed\":false}",
        "{\"allowed\":true},\"status\":{\"allowed\":false}",
        "{\"allowed\":true},\"metadata\":{\"a\":{\"b\":1,\"b\":2}}",
        "{\"allowed\":true,\"reason\":\"\\ud800\"}",
        "{\"allowed\":true}}{",
        "{\"allowed\":true}}true",
        "{\"allowed\":true}}\u0000",
        "{\"allowed\":true",
        "{\"allowed\":True}",
        "{\"allowed\":TRUE}",
        "{allowed:true}",
        "{'allowed':true}",
        "{\"allowed\":true,}",
        "{\"allowed\":true}/**/",
      })
  void ambiguousAnswer_isNeitherYesNorNo(String status) {
    stub.answer(201, JSON, accessReview(status));

    assertThat(unanswered(() -> allowed(PAGE))).contains("SubjectAccessReview cannot be read");
  }

  @Test
  void invalidUtf8_isNeitherYesNorNo() {
    byte[] review = accessReview("{\"allowed\":true,\"reason\":\"\u00e4\"}").getBytes(ISO_8859_1);
    stub.server.enqueue(new MockResponse.Builder().body(new Buffer().write(review)).build());

    assertThat(unanswered(() -> allowed(PAGE))).contains("not UTF-8");
  }

  @Test
  void endlessAnswer_isNotReadToItsEnd() {
    stub.answer(accessReview("{\"allowed\":true}") + " ".repeat(2 << 20));

    assertThat(unanswered(() -> allowed(PAGE))).contains("1048576 bytes or more");
  }

  @Test
  void trailingWhiteSpace_isAccepted() throws Exception {
    stub.answer(201, JSON, accessReview("{\"allowed\":true}") + "\n");

    assertThat(allowed(PAGE)).isTrue();
  }

  /** A proxy may quote the request, and its answer is logged. */
  @Test
  void quotedToken_isRemovedFromErrors() {
    stub.answer(400, TEXT, "bad request: {\"token\":\"" + SHOWN + "\"}");
    stub.answer(422, JSON, status(422, "Invalid", "spec.token: Invalid value: " + SHOWN));

    assertThat(unanswered(this::reviewed)).contains("400: bad request");
    assertThat(unanswered(this::reviewed)).contains("422 Invalid: spec.token");
    stub.answer(400, TEXT, "x".repeat(260) + SHOWN.repeat(10));
    assertThat(unanswered(() -> lane.review(SHOWN.repeat(10), List.of("watchgate"))))
        .as("also where it is cut")
        .doesNotContain(SHOWN.substring(0, 10));
  }

  @Test
  void unansweredReview_timesOut() throws ConfigException {
    stub.answerNothing();
    try (ReviewClient impatient =
        ReviewClient.of(
            stub.access(new UserCredentials.Token(TOKEN)),
            KubeSettings.DEFAULT.withRequestTimeout(Duration.ofMillis(500)))) {
      assertThat(unanswered(() -> impatient.pool(32, 1_000).review(SHOWN, List.of("watchgate"))))
          .contains("tokenreviews");
    }
  }

  /** Of one user at most three quarters of them. */
  @Test
  void concurrentReviews_areLimitedToThirtyTwo() throws Exception {
    UserInfo joe = new UserInfo("joe", "", List.of(), Map.of());
    AtomicInteger asking = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch answer = new CountDownLatch(1);
    stub.server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
            most.accumulateAndGet(asking.incrementAndGet(), Math::max);
            answer.await();
            asking.decrementAndGet();
            return new MockResponse.Builder().body(accessReview("{\"allowed\":true}")).build();
          }
        });
    List<Future<Boolean>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        answers.add(threads.submit(() -> allowed(PAGE)));
      }
      await().until(() -> asking.get() == 24);
      for (int i = 0; i < 200; i++) {
        answers.add(threads.submit(() -> lane.isAllowed(joe, PAGE)));
      }
      await().until(() -> asking.get() == 32);
      answer.countDown();
      for (Future<Boolean> each : answers) {
        assertThat(each.get()).isTrue();
      }
    }

    assertThat(most.get()).isEqualTo(32);
  }

  /** A failed review must release its permit. */
  @Test
  void failedReviews_releaseTheirPermits() throws Exception {
    for (int i = 0; i < 100; i++) {
      stub.answer(500, JSON, status(500, "InternalError", "not now"));
      unanswered(() -> allowed(PAGE));
    }
    answerAccess("{\"allowed\":true}");

    assertThat(allowed(PAGE)).isTrue();
  }

  /**
   * A request that would wait behind a thousand fails, and a request that waited too long is not
   * asked later.
   */
  @Test
  void fullQueue_rejectsReviews() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    stub.server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
            asked.countDown();
            answer.await();
            return new MockResponse.Builder().body(accessReview("{\"allowed\":true}")).build();
          }
        });
    ReviewClient.ReviewPool narrow = reviews.pool(1, 0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Boolean> first = threads.submit(() -> narrow.isAllowed(JANE, PAGE));
      asked.await();
      assertThat(unanswered(() -> narrow.isAllowed(JANE, PAGE))).contains("too many reviews");
      answer.countDown();
      assertThat(first.get()).isTrue();
    }
    assertThat(narrow.isAllowed(JANE, PAGE)).isTrue();
  }
}
