package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.auth.AuthSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of watches over a caching proxy whose callers have tokens that expire, and quotas. */
@Tag("slow")
@Timeout(300)
final class ProxyCallerTest {
  private static final String WATCH = "/api/v1/configmaps?watch=1&resourceVersion=100";

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /**
   * OkHttp throws if a body breaks off, before its last chunk over HTTP/1.1 or without END_STREAM
   * over HTTP/2.
   */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_PRIOR_KNOWLEDGE"})
  void expiringToken_endsTheWatchCleanly(Protocol protocol) throws IOException {
    try (ProxyFixture proxy = ProxyFixture.secured()) {
      proxy.startRechecks();
      Instant expiry = proxy.wallClock.plus(Duration.ofHours(1));
      String token = tokenUntil(expiry);
      proxy.reviewers.knows(token, "ann");
      proxy.catalog.putConfigMap("a", "c1");
      OkHttpClient client =
          new OkHttpClient.Builder().protocols(List.of(protocol)).readTimeout(LIMIT).build();
      Request request =
          new Request.Builder()
              .url(proxy.server.uri(WATCH).toString())
              .header("Authorization", "Bearer " + token)
              .build();
      try (Response watch = client.newCall(request).execute()) {
        assertThat(watch.header("Watchgate-Source")).isEqualTo("cache");
        BufferedSource events = watch.body().source();
        assertThat(events.readUtf8Line()).contains("ADDED");
        proxy.wallClock = expiry.minusSeconds(8); // and there it stays, before the expiry
        assertThat(events.readUtf8Line()).isNull();
      }
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(proxy.audited.getLast())
                      .startsWith("ended ann watch configmaps ERROR_REASON_CREDENTIALS_EXPIRED"));
    }
  }

  /** Returns a token whose claims have an expiry; only the scripted apiserver verifies it. */
  private static String tokenUntil(Instant expiry) {
    String claims = "{\"exp\":" + expiry.getEpochSecond() + "}";
    return "e30."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(claims.getBytes(StandardCharsets.US_ASCII))
        + ".e30";
  }

  @Test
  void watchAboveTheQuotaOfItsUser_isRelayed() {
    AuthSettings.Quotas common = AuthSettings.Quotas.DEFAULTS;
    try (ProxyFixture proxy =
        ProxyFixture.secured(
            new AuthSettings.Quotas(
                /* maxStreams= */ 1,
                common.callsPerSecond(),
                common.maxSelections(),
                common.maxUnreadBytes()))) {
      proxy.reviewers.knows("t-bob", "bob");
      try (TestWatch first = watch(proxy, ProxyFixture.TOKEN);
          TestWatch above = watch(proxy, ProxyFixture.TOKEN);
          TestWatch others = watch(proxy, "t-bob")) {
        assertThat(source(first)).isEqualTo("cache");
        assertThat(source(above)).isEqualTo("apiserver");
        assertThat(source(others)).isEqualTo("cache");
        assertThat(proxy.answers()).contains("watch APISERVER limit");
        assertThat(proxy.server.watches()).as("without the relayed one").isEqualTo(2);
      }
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> {
                proxy.catalog.putConfigMap("a", "c1"); // a write finds out that a client is gone
                try (TestWatch next = watch(proxy, ProxyFixture.TOKEN)) {
                  assertThat(source(next)).isEqualTo("cache");
                }
              });
    }
  }

  private static TestWatch watch(ProxyFixture proxy, String token) {
    return TestWatch.open(proxy.server, WATCH, "Authorization", "Bearer " + token);
  }

  private static String source(TestWatch watch) {
    return watch.response.headers().firstValue("Watchgate-Source").orElse("");
  }
}
