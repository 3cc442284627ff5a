package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.faults.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** Sources of a gateway's answers over the Kubernetes API so far. */
record AnswerSources(MetricsText metrics) {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String REQUESTS = "watchgate_kube_requests_total";
  private static final List<String> VERBS = List.of("list", "watch");

  static AnswerSources of(Command gateway) {
    URI page = URI.create("http://127.0.0.1:%d/metrics".formatted(gateway.awaitServing().http()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return new AnswerSources(
          new MetricsText(
              http.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
                  .body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the number of answers from a cache, proven current or not.
   *
   * @param verb list or watch
   */
  double cached(String verb) {
    return answers(verb, "cache") + answers(verb, "proven");
  }

  /** Returns the number of lists or watches that the apiserver answered. */
  double relayed(String verb) {
    return answers(verb, "apiserver");
  }

  /**
   * Returns the number of lists and watches that the apiserver answered because a cache did not
   * answer in time, as on a busy machine.
   */
  double relayedForSlowness() {
    double sum = 0;
    for (String verb : VERBS) {
      for (String reason : List.of("loading", "not_proven")) {
        sum +=
            metrics.sum(
                REQUESTS,
                "verb=\"" + verb + "\"",
                "source=\"apiserver\"",
                "reason=\"" + reason + "\"");
      }
    }
    return sum;
  }

  private double answers(String verb, String source) {
    return metrics.sum(REQUESTS, "verb=\"" + verb + "\"", "source=\"" + source + "\"");
  }

  /** Asserts that since an earlier moment no list and no watch was relayed for other reasons. */
  void assertOnlySlowRelayedSince(AnswerSources earlier) {
    double since = 0;
    for (String verb : VERBS) {
      since += relayed(verb) - earlier.relayed(verb);
    }
    assertThat(since)
        .as("relayed requests, of %s", this)
        .isEqualTo(relayedForSlowness() - earlier.relayedForSlowness());
  }

  /** Asserts that since an earlier moment no list and no watch was relayed. */
  void assertNothingRelayedSince(AnswerSources earlier) {
    for (String verb : VERBS) {
      assertThat(relayed(verb))
          .as("relayed requests, of %s", this)
          .isEqualTo(earlier.relayed(verb));
    }
  }

  /**
   * Waits until clients watch, and the caches answer all of their watches but some.
   *
   * @param cached least number of open watches that a cache answers
   * @param relayed number of open watches that the apiserver answers
   */
  static void awaitWatches(Command gateway, int cached, int relayed) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              AnswerSources sources = of(gateway);
              // A stream is open while its start is looked for, and the watch may be relayed yet.
              assertThat(
                      Math.min(sources.metrics.sum("watchgate_streams"), sources.cached("watch")))
                  .as("open watches of caches, of %s", sources)
                  .isGreaterThanOrEqualTo(cached);
              assertThat(sources.metrics.sum("watchgate_kube_relays"))
                  .as("relayed requests, of %s", sources)
                  .isEqualTo(relayed);
            });
  }

  /** Returns the lines of the metric, for messages. */
  @Override
  public String toString() {
    return metrics.page().lines().filter(line -> line.startsWith(REQUESTS)).toList().toString();
  }
}
