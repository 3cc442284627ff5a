package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.AccessAttributes.ResourceAccess;
import io.watchgate.auth.AccessAttributes.Verb;
import io.watchgate.auth.AuthSettings;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.relay.Relay;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests of what a caching proxy answers itself, what it relays, and what it refuses. */
@Tag("slow")
@Timeout(300)
final class ProxyTest {
  private static final String MAPS = "/api/v1/configmaps";
  private static final String FROM_APISERVER = "from the apiserver";

  private ProxyFixture proxy = new ProxyFixture();

  @AfterEach
  void closeAndAssertReleased() {
    proxy.close();
    await().untilAsserted(() -> assertThat(proxy.catalog.openSources()).isZero());
    await().untilAsserted(() -> assertThat(proxy.slots.get()).isZero());
  }

  private void secure() {
    proxy.close();
    proxy = ProxyFixture.secured();
  }

  private void relayWrites() {
    proxy.close();
    proxy = new ProxyFixture(AuthSettings.Identification.NONE, ProxySettings.Writes.RELAYED);
  }

  private HttpResponse<String> get(String path, String... headers) {
    return proxy.server.get(path, headers);
  }

  /** Returns what was counted, which may be a moment after the answer. */
  private List<String> answers() {
    await().until(() -> !proxy.answers().isEmpty());
    return proxy.answers();
  }

  private static String source(HttpResponse<?> answer) {
    return answer.headers().firstValue("Watchgate-Source").orElse("");
  }

  // ---- routes

  @ParameterizedTest
  @CsvSource({
    "/api/v1/configmaps, list PROVEN",
    "/api/v1/configmaps?limit=1, list PROVEN",
    "/api/v1/configmaps?resourceVersion=0, list CACHE",
    "/api/v1/configmaps?resourceVersion=0&timeout=10s, list CACHE",
    "/api/v1/configmaps?resourceVersion=0&timeout=1h1.5m, list CACHE",
    "/api/v1/configmaps?resourceVersion=0&timeout=abc, list APISERVER parameters",
    "/api/v1/configmaps?resourceVersion=101, list CACHE",
    "/api/v1/configmaps?resourceVersion=101&resourceVersionMatch=Exact, list CACHE",
    "/api/v1/namespaces/a/configmaps?labelSelector=x%3Dy, list PROVEN",
    "/api/v1/namespaces/a/configmaps/c1?resourceVersion=0, get CACHE",
    "/api/v1/namespaces/a/configmaps/c1?resourceVersion=101, get CACHE",
    "/api/v1/namespaces/a/configmaps/c1, get APISERVER consistent_get",
    "/api/v1/namespaces/a/configmaps/none?resourceVersion=0, get APISERVER absent",
    "/api/v1/configmaps?resourceVersion=5&resourceVersionMatch=Exact, list APISERVER old_version",
    "/api/v1/configmaps?resourceVersion=999, list APISERVER future_version",
    "/api/v1/configmaps?labelSelector=a%3D%3Db%3D%3Dc, list APISERVER parameters",
    "/api/v1/configmaps?fieldSelector=spec.none%3D1, list APISERVER parameters",
    "/api/v1/configmaps?resourceVersionMatch=Exact, list APISERVER parameters",
    "/api/v1/configmaps?resourceVersion=0&pretty=true, list APISERVER parameters",
    "/api/v1/configmaps?shardSelector=x, list APISERVER parameters",
    "/api/v1/configmaps?watch=1&timeout=10s, watch APISERVER parameters",
    "/api/v1/namespaces/a/configmaps/c1?resourceVersion=0&x=1, get APISERVER parameters",
    "/api/v1/nodes?resourceVersion=0, list APISERVER type",
    "/api/v1/nothings?resourceVersion=0, list APISERVER type",
    "/apis/x.io/v2/widgets?resourceVersion=0, list APISERVER type",
    "/api/v1/namespaces/a/nodes?resourceVersion=0, list APISERVER type",
    "/api/v1/configmaps/c1?resourceVersion=0, get APISERVER type",
    "/api/v1/configmaps;x=1?resourceVersion=0, list APISERVER other_path",
    "/apis/apps/v1/namespaces/a/deployments/d?resourceVersion=0, get APISERVER closed_type",
    "/apis/apps/v1/deployments, list APISERVER closed_type",
    "/apis/apps/v1/deployments?resourceVersion=0, list CACHE",
    "/version, other APISERVER other_path",
    "/api, other APISERVER other_path",
    "/apis/x.io/v1, other APISERVER other_path",
    "/openapi/v3?hash=1, other APISERVER other_path",
  })
  void read_isAnsweredFrom(String path, String expected) {
    proxy.catalog.putConfigMap("a", "c1");
    proxy.closed.add(TestCatalog.DEPLOYMENTS);
    HttpResponse<String> answer = get(path);
    assertThat(answers()).containsExactly(expected);
    assertThat(source(answer)).isEqualTo(expected.split(" ", -1)[1].toLowerCase(Locale.ROOT));
    assertThat(answer.body().equals(FROM_APISERVER)).isEqualTo(expected.contains("APISERVER"));
  }

  @ParameterizedTest
  @CsvSource({
    "*/*, CACHE",
    "application/json, CACHE",
    "'application/vnd.kubernetes.protobuf, */*', CACHE",
    "'application/vnd.kubernetes.protobuf,application/json', CACHE",
    "'application/json;q=0.9,application/cbor;q=1', CACHE",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, CACHE",
    "application/json;drop=metadata.managedFields, CACHE",
    "application/json;drop=spec, APISERVER format",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, APISERVER parameters",
    "application/json;as=Table;v=v1;g=meta.k8s.io, APISERVER format",
    "'application/json;as=Table;v=v1;g=meta.k8s.io,application/json', APISERVER format",
    "'*/*,application/json;as=Table;v=v1;g=meta.k8s.io', APISERVER format",
    "'*/*,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9', APISERVER format",
    "application/json;as=Other;v=v1;g=meta.k8s.io, APISERVER format",
    "application/json;profile=x, APISERVER format",
    "application/vnd.kubernetes.protobuf, APISERVER format",
    "application/yaml, APISERVER format",
    "'application/yaml, */*', APISERVER format",
    "'application/json, application/yaml', CACHE",
    "'text/html, application/json', CACHE",
    "'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
        + " application/json', APISERVER format",
    "'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
        + " application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', CACHE",
  })
  void format_decidesTheSource(String accept, String expected) {
    get(MAPS + "?resourceVersion=0", "Accept", accept);
    assertThat(answers().getFirst()).endsWith(" " + expected);
  }

  @Test
  void droppedManagedFields_areNotSent() {
    proxy.catalog.put(
        TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").with(",\"data\":{\"k\":\"v\"}"));
    String all = get(MAPS + "?resourceVersion=0").body();
    String dropped =
        get(MAPS + "?resourceVersion=0", "Accept", "application/json;drop=metadata.managedFields")
            .body();
    assertThat(dropped).contains("\"k\":\"v\"").doesNotContain("managedFields");
    assertThat(all.replaceAll(",\"managedFields\":\\[[^\\]]*\\]", "")).isEqualTo(dropped);
  }

  // ---- refusals

  @ParameterizedTest
  @CsvSource({
    "POST, /api/v1/namespaces/a/configmaps",
    "PUT, /api/v1/namespaces/a/configmaps/c1",
    "PATCH, /api/v1/namespaces/a/configmaps/c1",
    "DELETE, /api/v1/configmaps",
    "GET, /api/v1/namespaces/a/pods/p/log",
    "GET, /api/v1/namespaces/a/pods/p/status?resourceVersion=0",
    "GET, /api/v1/namespaces/a/services/s/proxy/x/y",
    "GET, /api/v1/nodes/n/proxy/metrics",
    "OPTIONS, /api/v1/configmaps",
  })
  void writeOrSubresource_isRefused(String method, String path) {
    HttpResponse<String> answer = proxy.server.send(method, path, "{}");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(source(answer)).isEqualTo("gateway");
    assertThat(answer.body()).contains("\"kind\":\"Status\"");
    assertThat(proxy.relayed).isEmpty();
    assertThat(proxy.endedStreams.ended()).as("only watches end").isEmpty();
  }

  @Test
  void refusal_saysWhereToGo() {
    assertThat(proxy.server.send("DELETE", MAPS, "").body())
        .contains(
            "this gateway serves reads; writes are not served: send them to the apiserver",
            "--kube-relay-writes");
  }

  @ParameterizedTest
  @CsvSource({
    "Impersonate-User, bob",
    "impersonate-group, system:masters",
    "Impersonate-Extra-Scopes, x",
    "X-Remote-User, bob",
    "x-remote-extra-a, b",
  })
  void headerOfAnotherIdentity_isRefused(String name, String value) {
    HttpResponse<String> answer = get(MAPS, name, value, "Authorization", "Bearer t");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).containsIgnoringCase(name);
    assertThat(proxy.relayed).isEmpty();
  }

  @Test
  void twoAuthorizations_areRefused() {
    HttpResponse<String> answer =
        get("/version", "Authorization", "Bearer a", "Authorization", "Bearer b");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(proxy.relayed).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/%2e%2e/x",
    "/api/v1/namespaces/a%2fb/pods",
    "/api/v1/namespaces/a/../b/pods?resourceVersion=0",
    "/api/v1/./pods?resourceVersion=0",
    "//10.0.0.9:10250/pods",
    "/x;\\..\\api\\v1\\namespaces\\a\\pods\\p\\log",
    "/api\\v1",
  })
  void ambiguousPath_isNotServed(String path) {
    String answer =
        RawRequest.send(proxy.server.port(), List.of("GET " + path + " HTTP/1.1", "Host: x"));
    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("Watchgate-Source: gateway");
    assertThat(answers()).hasSize(1).allMatch(each -> each.endsWith(" GATEWAY 400"));
    assertThat(proxy.relayed).isEmpty();
  }

  /** A semicolon is part of a name to the apiserver: it hides neither a write nor a subresource. */
  @ParameterizedTest
  @CsvSource({
    "DELETE, /api/v1/namespaces/a/configmaps/c1;x, REFUSED",
    "POST, /api/v1/namespaces/a/services/s/proxy/a;b, REFUSED",
    "POST, /api/v1/namespaces/a/services/s/proxy/a;b, RELAYED",
    "POST, /api/v1/namespaces/a/serviceaccounts/s/token;a, RELAYED",
    "GET, /api/v1/namespaces/a/pods/p/log;x, REFUSED",
    "GET, /api/v1/namespaces/a/pods/p;x/log, REFUSED",
    "GET, /%61pi/v1/nodes/n/proxy/run;x, REFUSED",
    "POST, /%61pi/v1/namespaces/a/services/s/proxy/a;b, RELAYED",
    "POST, /api/v1/namespaces/a/serviceaccounts/s/%74oken;a, RELAYED",
  })
  void semicolonInPath_bypassesNothing(String method, String path, ProxySettings.Writes writes) {
    proxy.close();
    proxy = new ProxyFixture(AuthSettings.Identification.NONE, writes);
    String answer =
        RawRequest.send(proxy.server.port(), List.of(method + " " + path + " HTTP/1.1", "Host: x"));
    assertThat(answer).startsWith("HTTP/1.1 405 ");
    assertThat(proxy.relayed).isEmpty();
  }

  @Test
  void timeoutOfManyUnits_isAnswered() {
    get("/api/v1/configmaps?resourceVersion=0&timeout=" + "1s".repeat(20_000));
    assertThat(answers()).containsExactly("list CACHE");
  }

  @Test
  void nameLongerThanAnyType_isRelayed() {
    get("/api/v1/" + "a".repeat(60_000));
    assertThat(answers()).containsExactly("list APISERVER type");
    assertThat(proxy.resolved).isEmpty();
  }

  // ---- relays

  @Test
  void relayedRequest_keepsItsBytesAndTheHeadersOfTheList() {
    HttpResponse<String> answer =
        get(
            "/apis/x.io/v1/widgets?b=%7B1%7D&a=x+y&pretty",
            "Authorization",
            "Bearer secret",
            "If-None-Match",
            "\"e\"",
            "X-Forwarded-For",
            "1.2.3.4",
            "Cookie",
            "c=1",
            "X-Other",
            "y");
    Relay.RelayedRequest sent = proxy.relayed.getFirst();
    assertThat(sent.method()).isEqualTo("GET");
    assertThat(sent.pathAndQuery()).isEqualTo("/apis/x.io/v1/widgets?b=%7B1%7D&a=x+y&pretty");
    assertThat(sent.headers().stream().map(Relay.Field::name).toList())
        .contains("Authorization", "If-None-Match")
        .doesNotContain("Cookie", "X-Other", "Host", "Connection");
    assertThat(sent.headers())
        .contains(
            new Relay.Field("Authorization", "Bearer secret"),
            new Relay.Field("X-Forwarded-For", "127.0.0.1"))
        .doesNotContain(new Relay.Field("X-Forwarded-For", "1.2.3.4"));
    assertThat(sent.headers().toString()).doesNotContain("secret");
    assertThat(answer.body()).isEqualTo(FROM_APISERVER);
    assertThat(answer.headers().firstValue("Audit-Id")).contains("a1");
    assertThat(answer.headers().firstValue("Connection")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {MAPS, MAPS + "?watch=1"})
  void head_isRelayedAndHasNoBody(String path) {
    String answer =
        RawRequest.send(proxy.server.port(), List.of("HEAD " + path + " HTTP/1.1", "Host: x"));
    assertThat(answer)
        .startsWith("HTTP/1.1 200 ")
        .contains("Watchgate-Source: apiserver")
        .endsWith("\r\n\r\n")
        .doesNotContain(FROM_APISERVER);
    assertThat(proxy.relayed)
        .singleElement()
        .satisfies(
            sent -> {
              assertThat(sent.method()).isEqualTo("HEAD");
              assertThat(sent.body()).isNull();
            });
    assertThat(answers()).containsExactly("other APISERVER method");
  }

  @Test
  void unreachableApiserver_is503WithRetryAfter() {
    proxy.apiserverAway = true;
    HttpResponse<String> answer = get("/version");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(answer.body()).contains("cannot be reached").doesNotContain("connection refused");
    assertThat(get(MAPS + "?resourceVersion=0").statusCode()).isEqualTo(200);
  }

  /** A word of a path is a form of watch only where a type is named. */
  @ParameterizedTest
  @CsvSource({
    "/api/v1/namespaces/watch/configmaps/c1, false",
    "/api/v1/namespaces/watch/secrets?limit=1&x=1, false",
    "/api/v1/secrets?watch=1&x=1, true",
    "/api/v1/watch/secrets?x=1, true",
  })
  void silenceOfARelayedAnswer_isLimitedExceptOfWatches(String path, boolean watch) {
    get(path);
    assertThat(proxy.relayed.getFirst().silence().isZero()).isEqualTo(watch);
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void relayedAnswerWithoutBody_hasNoChunks(int code) {
    proxy.relayedCode = code;
    String answer =
        RawRequest.send(
            proxy.server.port(), List.of("GET /version HTTP/1.1", "Host: x", "Connection: close"));
    assertThat(answer)
        .startsWith("HTTP/1.1 " + code)
        .endsWith("\r\n\r\n")
        .containsOnlyOnce("\r\n\r\n")
        .doesNotContain("chunked");
  }

  @Test
  void answerThatEndsEarly_doesNotLookComplete() {
    proxy.breaksOff = true;
    String answer =
        RawRequest.send(proxy.server.port(), List.of("GET /version HTTP/1.1", "Host: x"));
    assertThat(answer).contains(FROM_APISERVER).doesNotEndWith("0\r\n\r\n");
    await().untilAsserted(() -> assertThat(proxy.ended.get()).isEqualTo(1));
  }

  @ParameterizedTest
  @CsvSource({
    "{\"type\":\"ADDED\"}, true, drain",
    "{\"type\":, false, drain",
    "{\"type\":\"ADDED\"}, true, close"
  })
  void relayedWatch_serverEnds_endsAfterACompleteEvent(
      String text, boolean isComplete, String manner) throws Exception {
    proxy.relayedEvents = isComplete ? text + "\n" : text;
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.server.port())) {
      client
          .getOutputStream()
          .write(
              ("GET " + MAPS + "?watch=1&pretty=1 HTTP/1.1\r\nHost: x\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      Reader from = new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII);
      while (answer.indexOf(text) < 0) {
        int next = from.read();
        assertThat(next).as("after %s", answer).isNotNegative();
        answer.append((char) next);
      }

      if (manner.equals("drain")) {
        proxy.server.drain(Duration.ZERO);
      } else {
        proxy.server.closePatiently();
      }

      StringWriter rest = new StringWriter();
      from.transferTo(rest);
      assertThat(rest.toString().endsWith("\r\n0\r\n\r\n")).isEqualTo(isComplete);
    }
  }

  /** Clients take a watch that ends at once for a failure, or for an expired version. */
  @Test
  void relayedWatchWithoutEvent_serverDrains_lastsTwoSeconds() throws IOException {
    proxy.relaysQuietWatch = true;
    long began = System.nanoTime();
    try (Response watch = http2Client().newCall(relayedWatch()).execute()) {
      proxy.server.drain(Duration.ZERO);
      assertThat(watch.body().source().readUtf8Line()).isNull();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(HttpWatch.SHORTEST);
    }
  }

  /** A client of HTTP/2 would go on with its next watch on the same connection. */
  @Test
  void relayedWatchOfHttp2_serverDrains_endsAndConnectionIsNotUsedAgain() throws IOException {
    proxy.relayedEvents = "{\"type\":\"ADDED\"}\n";
    OkHttpClient client = http2Client();
    Request watching = relayedWatch();
    try (Response watch = client.newCall(watching).execute()) {
      assertThat(watch.body().source().readUtf8Line()).contains("ADDED");
      proxy.server.drain(Duration.ZERO);
      assertThat(watch.body().source().readUtf8Line()).isNull();
    }
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> client.newCall(watching).execute().close())
                    .isInstanceOf(ConnectException.class));
  }

  @Test
  void unansweredRelayedWatch_serverDrains_is503WithRetryAfter() throws Exception {
    proxy.apiserverHangs = true;
    try (HttpClient client = HttpClient.newHttpClient()) {
      CompletableFuture<HttpResponse<String>> watch =
          client.sendAsync(
              HttpRequest.newBuilder(proxy.server.uri(MAPS + "?watch=1&pretty=1")).build(),
              HttpResponse.BodyHandlers.ofString());
      await().until(() -> !proxy.relayed.isEmpty());
      proxy.server.drain(Duration.ZERO);
      HttpResponse<String> answer = watch.get(3, TimeUnit.MINUTES);
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
      assertThat(answer.body()).contains("this gateway shuts down");
    }
  }

  /** Its client could not know whether a write was executed. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_PRIOR_KNOWLEDGE"})
  void relayedRequest_serverDrains_isAnswered(Protocol protocol) throws Exception {
    proxy.apiserverAnswers = new CountDownLatch(1);
    OkHttpClient client =
        new OkHttpClient.Builder()
            .protocols(List.of(protocol))
            .readTimeout(TestServer.LIMIT)
            .build();
    Request request = new Request.Builder().url(proxy.server.uri("/version").toString()).build();
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try (Response response = client.newCall(request).execute()) {
                return response.body().string();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    await().until(() -> !proxy.relayed.isEmpty());
    proxy.server.drain(Duration.ZERO);
    // Longer than the second after which a drain by default cuts connections without traffic.
    proxy.server.awaitDrained(Duration.ofMillis(1_500));
    assertThat(answer).isNotDone();

    proxy.apiserverAnswers.countDown();
    proxy.server.awaitDrained(TestServer.LIMIT);
    proxy.server.closePatiently();
    assertThat(answer.get(3, TimeUnit.MINUTES)).isEqualTo(FROM_APISERVER);
  }

  @Test
  void relayedWatches_serverDrains_endOneAfterTheOther() throws Exception {
    proxy.relayedEvents = "{\"type\":\"ADDED\"}\n";
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest watching =
          HttpRequest.newBuilder(proxy.server.uri(MAPS + "?watch=1&pretty=1")).build();
      List<CompletableFuture<String>> watches = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        InputStream events =
            client.send(watching, HttpResponse.BodyHandlers.ofInputStream()).body();
        watches.add(CompletableFuture.supplyAsync(() -> text(events)));
      }
      proxy.server.drain(Duration.ofHours(1));
      CompletableFuture.anyOf(watches.toArray(CompletableFuture[]::new)).get(3, TimeUnit.MINUTES);
      assertThat(watches).anyMatch(watch -> !watch.isDone());
      proxy.server.closePatiently();
      for (CompletableFuture<String> watch : watches) {
        assertThat(watch.get(3, TimeUnit.MINUTES)).isEqualTo(proxy.relayedEvents);
      }
    }
  }

  private static String text(InputStream from) {
    try {
      return new String(from.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In an outage of the apiserver many clients hang up. */
  @Test
  void clientLeavesWhileRelayWaits_nothingIsLogged() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(org.eclipse.jetty.server.Response.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      proxy.apiserverHangs = true;
      Call call = http2Client().newCall(relayedWatch());
      CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> assertFails(call));
      await().until(() -> !proxy.relayed.isEmpty());
      call.cancel();
      ended.get(3, TimeUnit.MINUTES);
      await().until(() -> proxy.ended.get() == 1);
      proxy.close();
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list).isEmpty();
  }

  private static void assertFails(Call call) {
    assertThatThrownBy(() -> call.execute().close()).isInstanceOf(IOException.class);
  }

  private static OkHttpClient http2Client() {
    return new OkHttpClient.Builder()
        .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
        .readTimeout(TestServer.LIMIT)
        .build();
  }

  private Request relayedWatch() {
    return new Request.Builder()
        .url(proxy.server.uri(MAPS + "?watch=1&pretty=1").toString())
        .build();
  }

  @Test
  void relaysAboveTheLimit_are429WithRetryAfter() {
    proxy.relaySlots = 0;
    HttpResponse<String> answer = get("/version");
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void listAboveTheLimitOfStreams_isRelayed() {
    proxy.streamSlots = 0;
    assertThat(source(get(MAPS + "?resourceVersion=0"))).isEqualTo("apiserver");
    assertThat(answers()).containsExactly("list APISERVER limit");

    proxy.streamSlots = 1;
    for (int i = 0; i < 2; i++) {
      await().until(() -> proxy.slots.get() == 0); // it is released after the answer
      assertThat(source(get(MAPS + "?resourceVersion=0"))).isEqualTo("cache");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/c1"})
  void readWithoutMemoryForItsAnswer_isRelayed(String name) {
    proxy.catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1"));
    String path = "/api/v1/namespaces/a/configmaps" + name + "?resourceVersion=0";
    String verb = name.isEmpty() ? "list" : "get";
    proxy.answerBytes = 0;
    assertThat(source(get(path))).isEqualTo("apiserver");
    assertThat(answers()).containsExactly(verb + " APISERVER limit");

    proxy.answerBytes = Long.MAX_VALUE;
    assertThat(source(get(path))).isEqualTo("cache");
  }

  @Test
  void answerThatMayNotContinue_endsItsConnectionAndReturnsItsTicket() {
    String padding = ",\"data\":{\"a\":\"" + "x".repeat(200_000) + "\"}";
    proxy.catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").with(padding));
    AtomicInteger closed = new AtomicInteger();
    proxy.answerTicket =
        new AnswerAdmission.Ticket() {
          @Override
          public boolean mayContinue() {
            return false;
          }

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        };
    assertThat(
            RawRequest.send(
                proxy.server.port(),
                List.of("GET " + MAPS + "?resourceVersion=0 HTTP/1.1", "Host: x")))
        .doesNotContain("c1");
    await().until(() -> closed.get() == 1);
  }

  /** The client does not read, so that the window of each stream is used up. */
  @Test
  void unreadGetsOfHttp2_keepTheirSlots() throws IOException {
    String padding = ",\"data\":{\"a\":\"" + "x".repeat(17 << 20) + "\"}";
    proxy.catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").with(padding));
    Request get =
        new Request.Builder()
            .url(
                proxy.server.uri("/api/v1/namespaces/a/configmaps/c1?resourceVersion=0").toString())
            .header("Accept-Encoding", "identity")
            .build();
    OkHttpClient client = http2Client(); // a stream has a window of 16 MiB
    List<Response> unread = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      unread.add(client.newCall(get).execute());
    }
    await()
        .during(Duration.ofMillis(500))
        .untilAsserted(() -> assertThat(proxy.slots.get()).isEqualTo(2));
    unread.forEach(Response::close);
    await().untilAsserted(() -> assertThat(proxy.slots.get()).isZero());
    assertThat(answers()).containsExactly("get CACHE");
  }

  @Test
  void refusedRead_isAudited() {
    proxy.relaySlots = 0;
    assertThat(get("/api/v1/namespaces/a/secrets/s").statusCode()).isEqualTo(429);
    assertThat(proxy.audited).containsExactly("denied none get secrets ERROR_REASON_QUOTA");
  }

  /** Operators see why a read was refused; those of the apiserver are in its own audit log. */
  @ParameterizedTest
  @CsvSource({
    "/api/v1/namespaces/a/secrets/s, secrets, QUOTA",
    "/apis/none.example/v1/things?watch=1, things.none.example, QUOTA"
  })
  void refusedRead_isRecent(String path, String type, String reason) {
    proxy.relaySlots = 0;
    assertThat(get(path, "User-Agent", "an agent").statusCode()).isEqualTo(429);
    assertThat(proxy.endedStreams.refused())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.type()).isEqualTo(type);
              assertThat(entry.reason()).isEqualTo(reason);
              assertThat(entry.identity().api()).isEqualTo("kubernetes");
              assertThat(entry.identity().agent()).isEqualTo("an agent");
              assertThat(entry.identity().address()).isEqualTo("127.0.0.1");
            });
    assertThat(proxy.endedStreams.ended()).isEmpty();
  }

  @Test
  void readThatCannotBeRelayed_isRecentWithTheReasonOfItsStatus() {
    proxy.apiserverAway = true;
    assertThat(get("/api/v1/namespaces/a/secrets/s").statusCode()).isEqualTo(503);
    assertThat(proxy.endedStreams.refused())
        .singleElement()
        .satisfies(entry -> assertThat(entry.reason()).isEqualTo("ServiceUnavailable"));
    assertThat(proxy.audited).isEmpty();
  }

  @Test
  void relayedWrites_haveTheirBodies() {
    relayWrites();
    String path = "/api/v1/namespaces/a/configmaps";
    assertThat(
            proxy.server.send("POST", path, "{\"x\":1}", "Content-Type", "application/json").body())
        .isEqualTo(FROM_APISERVER);
    assertThat(proxy.bodies).containsExactly("{\"x\":1}");
    assertThat(proxy.relayed.getFirst().headers())
        .contains(new Relay.Field("Content-Type", "application/json"));
  }

  private static final List<String> CONTROLLERS_SUBRESOURCES =
      List.of(
          "PATCH /api/v1/namespaces/a/pods/p/status",
          "PUT /apis/apps/v1/namespaces/a/deployments/d/scale",
          "GET /apis/apps/v1/namespaces/a/deployments/d/scale",
          "POST /api/v1/namespaces/a/pods/p/eviction",
          "POST /api/v1/namespaces/a/serviceaccounts/s/token",
          "PUT /api/v1/namespaces/a/finalize",
          "PUT /apis/x.io/v1/widgets/w/status");

  private HttpResponse<String> send(String line) {
    String[] parts = line.split(" ", -1);
    return proxy.server.send(parts[0], parts[1], "{\"x\":1}");
  }

  @Test
  void subresourcesOfControllers_withoutWrites_areRefusedWithTheOption() {
    for (String line : CONTROLLERS_SUBRESOURCES) {
      HttpResponse<String> answer = send(line);
      assertThat(answer.statusCode()).as(line).isEqualTo(405);
      assertThat(answer.body()).as(line).contains("--kube-relay-writes");
    }
    assertThat(proxy.relayed).isEmpty();
  }

  /** Sends a request that announces a body of seven bytes; returns the answer, or its head. */
  private static String answer(Socket client, String method, String path, String body)
      throws IOException {
    String head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7";
    client.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
    StringBuilder answer = new StringBuilder();
    while (answer.indexOf("\r\n\r\n") < 0) {
      answer.append((char) client.getInputStream().read());
    }
    Matcher length = Pattern.compile("Content-Length: (\\d+)").matcher(answer);
    if (length.find()) {
      client.getInputStream().readNBytes(Integer.parseInt(length.group(1)));
    } else {
      while (answer.indexOf("\r\n0\r\n\r\n") < 0) { // the last chunk
        answer.append((char) client.getInputStream().read());
      }
    }
    return answer.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /api/v1/namespaces/a/pods/p, 405",
    "GET, /api/v1/namespaces/a/configmaps/b, 200"
  })
  void answerThatDoesNotReadTheBody_endsTheConnectionOnlyIfItIsMissing(
      String method, String path, int code) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.server.port())) {
      for (int i = 0; i < 3; i++) {
        assertThat(answer(client, method, path, "{\"x\":1}"))
            .startsWith("HTTP/1.1 " + code)
            .doesNotContain("Connection: close");
      }
      assertThat(answer(client, method, path, ""))
          .startsWith("HTTP/1.1 " + code)
          .contains("Connection: close");
    }
  }

  @Test
  void subresourcesOfControllers_withWrites_areRelayed() {
    relayWrites();
    for (String line : CONTROLLERS_SUBRESOURCES) {
      assertThat(send(line).body()).as(line).isEqualTo(FROM_APISERVER);
    }
    assertThat(proxy.relayed)
        .extracting(sent -> sent.method() + " " + sent.pathAndQuery())
        .isEqualTo(CONTROLLERS_SUBRESOURCES);
    assertThat(answers()).containsExactly("other APISERVER subresource");
  }

  @Test
  void otherSubresources_withWrites_areRefused() {
    relayWrites();
    for (String line :
        List.of(
            "POST /api/v1/namespaces/a/pods/p/exec?command=ls",
            "POST /api/v1/namespaces/a/pods/p/attach",
            "POST /api/v1/namespaces/a/pods/p/portforward",
            "GET /api/v1/namespaces/a/pods/p/log",
            "GET /api/v1/namespaces/a/pods/p/proxy",
            "POST /api/v1/namespaces/a/services/s/proxy/status",
            "PUT /api/v1/nodes/n/proxy/status",
            "GET /api/v1/watch/namespaces/a/pods/p/status",
            "OPTIONS /api/v1/namespaces/a/pods/p/status")) {
      assertThat(send(line).statusCode()).as(line).isEqualTo(405);
    }
    assertThat(proxy.relayed).isEmpty();
  }

  /** client-go repeats each request whose answer has a Retry-After, whatever its method. */
  @Test
  void relayedWrite_outcomeUnknown_isNotRepeated() {
    relayWrites();
    proxy.apiserverBreaks = true;
    HttpResponse<String> write = proxy.server.send("POST", "/api/v1/namespaces/a/pods", "{}");
    assertThat(write.statusCode()).isEqualTo(504);
    assertThat(write.headers().firstValue("Retry-After")).isEmpty();
    assertThat(write.body()).contains("it may have been executed");
    assertThat(get("/version").headers().firstValue("Retry-After")).contains("1");

    proxy.apiserverBreaks = false;
    proxy.apiserverAway = true;
    HttpResponse<String> unsent = proxy.server.send("POST", "/api/v1/namespaces/a/pods", "{}");
    assertThat(unsent.statusCode()).isEqualTo(503);
    assertThat(unsent.headers().firstValue("Retry-After")).contains("1");
  }

  // ---- access

  @Test
  void allowedCaller_isAnsweredFromTheCache() {
    secure();
    proxy.catalog.putConfigMap("a", "c1");
    String auth = "Bearer " + ProxyFixture.TOKEN;
    assertThat(source(get(MAPS + "?resourceVersion=0", "Authorization", auth))).isEqualTo("cache");
    String path = "/api/v1/namespaces/a/configmaps/c1?resourceVersion=0";
    assertThat(source(get(path, "Authorization", auth))).isEqualTo("cache");
    assertThat(proxy.reviewers.accesses())
        .extracting(AccessAttributes::text)
        .containsExactly(
            "list configmaps in the whole cluster",
            "get configmaps in the namespace \"a\", by the name \"c1\"");
    await()
        .untilAsserted(
            () ->
                assertThat(proxy.audited)
                    .containsExactly(
                        "answered ann list configmaps", "answered ann get configmaps"));
    assertThat(proxy.relayed).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/configmaps?resourceVersion=0, LIST, list",
    "/api/v1/namespaces/a/configmaps/c1?resourceVersion=0, GET, get",
    "/api/v1/configmaps?resourceVersion=0&watch=1, WATCH, watch",
    "/api/v1/configmaps?resourceVersion=0&watch=1, LIST, watch",
  })
  void deniedCaller_getsTheApiserversAnswer(String path, Verb denied, String verb) {
    secure();
    proxy.catalog.putConfigMap("a", "c1");
    proxy.reviewers.allows(
        (user, access) -> !(access instanceof ResourceAccess it && it.verb() == denied));
    HttpResponse<String> answer = get(path, "Authorization", "Bearer " + ProxyFixture.TOKEN);
    assertThat(answer.body()).isEqualTo(FROM_APISERVER);
    assertThat(answers()).containsExactly(verb + " APISERVER access");
    assertThat(proxy.audited).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"''", "Bearer wrong", "Basic YTpi", "Bearer"})
  void unknownCaller_getsTheApiserversAnswer(String authorization) {
    secure();
    HttpResponse<String> answer =
        authorization.isEmpty()
            ? get(MAPS + "?resourceVersion=0")
            : get(MAPS + "?resourceVersion=0", "Authorization", authorization);
    assertThat(answer.body()).isEqualTo(FROM_APISERVER);
    assertThat(answers()).containsExactly("list APISERVER unknown_caller");
    if (authorization.isEmpty()) {
      assertThat(proxy.resolved).as("discovery").isEmpty();
    }
  }

  @Test
  void unansweredReview_getsTheApiserversAnswer() {
    secure();
    proxy.reviewers.isSilent(true);
    String auth = "Bearer " + ProxyFixture.TOKEN;
    assertThat(get(MAPS + "?resourceVersion=0", "Authorization", auth).body())
        .isEqualTo(FROM_APISERVER);
  }

  // ---- watches

  @Test
  void watch_isServedAndAudited() {
    secure();
    TestObject map = proxy.catalog.putConfigMap("a", "c1");
    String auth = "Bearer " + ProxyFixture.TOKEN;
    try (TestWatch watch =
        TestWatch.open(
            proxy.server,
            MAPS + "?watch=1&resourceVersion=100&labelSelector=!x",
            "Authorization",
            auth)) {
      assertThat(source(watch.response)).isEqualTo("cache");
      assertThat(watch.next()).isEqualTo(frame("ADDED", map.json(TestCatalog.CONFIG_MAPS)));
      assertThat(proxy.audited).containsExactly("opened ann watch configmaps");
      proxy.catalog.remove(TestCatalog.CONFIG_MAPS);
      assertThat(watch.next()).isEqualTo("END");
    }
    await()
        .untilAsserted(
            () -> assertThat(proxy.audited.getLast()).startsWith("ended ann watch configmaps"));
    assertThat(answers()).containsExactly("watch CACHE");
    await().until(() -> !proxy.endedStreams.ended().isEmpty());
    assertThat(proxy.endedStreams.ended())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.identity().user()).isEqualTo("ann");
              assertThat(entry.identity().api()).isEqualTo("kubernetes");
              assertThat(entry.type()).isEqualTo("configmaps");
              assertThat(entry.watched()).isEqualTo(new EndedStreams.Watched("", "!x", "", null));
              assertThat(entry.reason()).matches("[A-Z_]+");
              assertThat(entry.sentBytes()).isPositive();
            });
  }

  @Test
  void watchThatItsClientLeaves_isAuditedAsEndedByTheClient() {
    try (TestWatch watch = TestWatch.open(proxy.server, MAPS + "?watch=1&resourceVersion=100")) {
      proxy.catalog.putConfigMap("a", "c1");
      assertThat(watch.next()).contains("ADDED");
    }
    await()
        .untilAsserted(
            () -> {
              proxy.catalog.putConfigMap("a", "c1"); // a write finds out that the client is gone
              assertThat(proxy.audited.getLast()).endsWith("ERROR_REASON_UNSPECIFIED by CLIENT");
              assertThat(proxy.endedStreams.ended())
                  .extracting(EndedStreams.Entry::reason)
                  .containsExactly("client");
            });
  }

  @Test
  void watchThatIsNotRead_isAuditedAsEndedByItsConnection() throws IOException {
    proxy.close();
    proxy = ProxyFixture.withIdleTimeout(Duration.ofSeconds(5)); // also the time for the request
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.server.port())) {
      String watch = "GET " + MAPS + "?watch=1&resourceVersion=100 HTTP/1.1\r\nHost: x\r\n\r\n";
      socket.getOutputStream().write(watch.getBytes(StandardCharsets.US_ASCII));
      await().until(() -> !proxy.audited.isEmpty());
      String padding = ",\"data\":{\"a\":\"" + "x".repeat(1 << 20) + "\"}";
      for (int i = 0; i < 20; i++) { // more than the buffers on the way can hold
        proxy.catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c").with(padding));
      }
      await()
          .atMost(Duration.ofMinutes(3))
          .untilAsserted(
              () ->
                  assertThat(proxy.audited.getLast())
                      .endsWith("ERROR_REASON_UNSPECIFIED by CONNECTION"));
    }
  }

  @Test
  void watchFromBeforeHistory_isRelayed() {
    HttpResponse<String> answer = get(MAPS + "?watch=1&resourceVersion=7");
    assertThat(answer.body()).isEqualTo(FROM_APISERVER);
    assertThat(answers()).containsExactly("watch APISERVER old_version");
    assertThat(proxy.relayed.getFirst().silence()).isZero();
    assertThat(proxy.endedStreams.ended()).as("it was not served here").isEmpty();
  }

  /** A reflector lists again after an ERROR of code 410, and after a clean end it watches again. */
  @Test
  void afterAGap_clientListsAndWatchesFromTheCache() {
    proxy.catalog.putConfigMap("a", "c1");
    try (TestWatch watch = TestWatch.open(proxy.server, MAPS + "?watch=1&resourceVersion=101")) {
      String listed = proxy.catalog.relist(TestCatalog.CONFIG_MAPS);
      assertThat(watch.next())
          .contains("\"ERROR\"", "too old resource version: 101 (" + listed + ")", "\"code\":410");
      assertThat(watch.next()).isEqualTo("END");
      HttpResponse<String> list = get(MAPS);
      assertThat(list.body()).contains("\"resourceVersion\":\"" + listed + "\"", "\"c1\"");
      try (TestWatch next =
          TestWatch.open(proxy.server, MAPS + "?watch=1&resourceVersion=" + listed)) {
        TestObject added = proxy.catalog.putConfigMap("a", "c2");
        assertThat(next.next()).isEqualTo(frame("ADDED", added.json(TestCatalog.CONFIG_MAPS)));
      }
    }
    assertThat(answers()).containsExactly("list PROVEN", "watch CACHE");
    assertThat(proxy.relayed).isEmpty();
  }

  @Test
  void watchFromBeforeAGap_isRelayed() {
    proxy.catalog.putConfigMap("a", "c1");
    proxy.catalog.relist(TestCatalog.CONFIG_MAPS);
    assertThat(get(MAPS + "?watch=1&resourceVersion=101").body()).isEqualTo(FROM_APISERVER);
    assertThat(answers()).containsExactly("watch APISERVER old_version");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/configmaps, list",
    "/api/v1/configmaps?limit=1, list",
    "/api/v1/configmaps?watch=1, watch",
    "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan, watch",
  })
  void unprovenState_isNotServedAsOfNow(String path, String verb) {
    proxy.catalog.putConfigMap("a", "c1");
    proxy.catalog.unprovable = true;
    assertThat(get(path).body()).isEqualTo(FROM_APISERVER);
    assertThat(answers()).containsExactly(verb + " APISERVER not_proven");
    assertThat(source(get(MAPS + "?resourceVersion=0"))).isEqualTo("cache");
  }

  @Test
  void watchAboveTheLimit_isRelayedForTheLimit() {
    proxy.close();
    proxy = ProxyFixture.withMaxWatches(1);
    proxy.catalog.putConfigMap("a", "c1");
    String path = MAPS + "?watch=1&resourceVersion=101";
    try (TestWatch _ = TestWatch.open(proxy.server, path)) {
      assertThat(get(path).body()).isEqualTo(FROM_APISERVER);
      await()
          .untilAsserted(
              () -> assertThat(answers()).containsExactly("watch APISERVER limit", "watch CACHE"));
    }
  }

  @Test
  void watchByWebSocket_endsAtOnce() {
    String answer =
        RawRequest.send(
            proxy.server.port(),
            List.of(
                "GET " + MAPS + "?watch=1 HTTP/1.1",
                "Host: x",
                "Connection: Upgrade",
                "Upgrade: websocket"));
    assertThat(answer).startsWith("HTTP/1.1 200 ").doesNotContain("ADDED");
    assertThat(answers()).containsExactly("watch GATEWAY 200");
    assertThat(
            RawRequest.send(
                proxy.server.port(),
                List.of(
                    "GET " + MAPS + " HTTP/1.1",
                    "Host: x",
                    "Connection: Upgrade",
                    "Upgrade: SPDY/3.1")))
        .startsWith("HTTP/1.1 405 ");
  }

  @Test
  void connectionHeader_removesNoHeader() {
    RawRequest.send(
        proxy.server.port(),
        List.of(
            "GET /version HTTP/1.1",
            "Host: x",
            "Authorization: Bearer t",
            "Connection: close, Authorization, X-Forwarded-For"));
    assertThat(proxy.relayed.getFirst().headers())
        .contains(
            new Relay.Field("Authorization", "Bearer t"),
            new Relay.Field("X-Forwarded-For", "127.0.0.1"));
  }

  /** A server behind another could end such a request elsewhere, and take the rest for the next. */
  @Test
  void ambiguousLengths_areRefused() {
    relayWrites();
    for (String headers :
        List.of(
            "Content-Length: 5|Transfer-Encoding: chunked",
            "Content-Length: 5|Content-Length: 6",
            "Content-Length: 5, 6",
            "Content-Length: +5",
            "Content-Length: 5|Transfer-Encoding: xchunked",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding:|\tchunked",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: \u000bchunked")) {
      List<String> lines = new ArrayList<>(List.of("POST /api/v1/pods HTTP/1.1", "Host: x"));
      lines.addAll(List.of(headers.split("\\|", -1)));
      String answer = RawRequest.send(proxy.server.port(), lines);
      assertThat(answer).as(headers).matches("(?s)HTTP/1\\.1 (400|501) .*");
      assertThat(answer.split("HTTP/1.1 ", -1)).as("one answer to %s", headers).hasSize(2);
    }
    assertThat(proxy.relayed).isEmpty();
  }
}
