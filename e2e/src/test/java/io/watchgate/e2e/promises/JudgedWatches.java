package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.check.CheckReport;
import io.watchgate.check.CheckedVersion;
import io.watchgate.check.Session;
import io.watchgate.check.Truth;
import io.watchgate.check.Validator;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients of the Kubernetes read API that take part in a trial: what they receive is judged like
 * streams of gRPC, by the same truth. Used by the thread of the check, except where noted.
 */
final class JudgedWatches implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final List<URI> gateways;
  private final String token;
  private final Relayed relayed;
  private final long seed;
  private final List<JudgedWatch> watches = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final Map<String, CheckedVersion> latest = new ConcurrentHashMap<>();
  private final Map<String, Long> sources = new ConcurrentHashMap<>();
  private CheckReport report = CheckReport.NONE;
  private long messages;
  private boolean settling;

  /** Treatment of answers that the gateway relays. */
  enum Relayed {
    JUDGED,
    /** The apiserver's answers are damaged, and a relay does not change them. */
    IGNORED
  }

  /**
   * @param ports ports of the read API of the gateway, or of each of its replicas
   * @param token token for what is relayed
   */
  JudgedWatches(List<Integer> ports, String token, Relayed relayed, long seed) {
    this.gateways = ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
    this.token = token;
    this.relayed = relayed;
    this.seed = seed;
  }

  void begin(List<String> namespaces) {
    for (WatchSelection selection : WatchSelection.in(namespaces)) {
      watches.add(new JudgedWatch(selection, this, seed + watches.size()));
    }
  }

  /** Waits until all have listed once, so that faults affect them. */
  void awaitSynced() {
    await().atMost(LIMIT).until(() -> watches.stream().allMatch(JudgedWatch::isSynced));
  }

  // ---- for the watches, from any thread

  List<URI> gateways() {
    return gateways;
  }

  String token() {
    return token;
  }

  Relayed relayed() {
    return relayed;
  }

  /** Records a version of a type that a watch has received. */
  void seen(String type, CheckedVersion version) {
    latest.merge(type, version, (one, other) -> one.compareTo(other) < 0 ? other : one);
  }

  /** Returns the latest version that a watch has received: a consistent read is not older. */
  CheckedVersion latest(String type) {
    return latest.getOrDefault(type, CheckedVersion.NONE);
  }

  /** Counts an answer by its {@code Watchgate-Source}. */
  void answered(String source) {
    sources.merge(source, 1L, Long::sum);
  }

  // ---- judging

  /**
   * Makes the watches short, at once for all types, so that a bookmark comes soon. All changes have
   * been delivered.
   */
  void settle() {
    if (!settling) {
      settling = true;
      watches.forEach(JudgedWatch::settle);
    }
  }

  /**
   * Waits, after {@link #settle}, until the watches of the type have passed the last change, and
   * judges them.
   */
  void judge(String type, Truth truth) throws InterruptedException {
    List<Session> sessions = new ArrayList<>();
    for (JudgedWatch one : watches) {
      if (one.selection().type().equals(type)) {
        sessions.addAll(one.settled(truth, LIMIT));
        wrong.addAll(one.wrong());
      }
    }
    messages += sessions.stream().mapToLong(one -> one.messages().size()).sum();
    report = report.plus(Validator.judge(truth, sessions));
  }

  /** Fails with all violations. */
  void assertHolds(String run) {
    assertThat(report.holds()).as("watches over HTTP, %s: %s", run, text()).isTrue();
    assertThat(wrong).as("watches over HTTP, %s", run).isEmpty();
    assertThat(messages).as("messages over HTTP").isPositive();
    assertThat(sources.getOrDefault("cache", 0L)).as("answers %s", sources).isPositive();
  }

  CheckReport report() {
    return report;
  }

  String text() {
    return "watches over HTTP: %,d messages, answers %s%n%s%s"
        .formatted(messages, sources, report.text(), String.join("\n", wrong));
  }

  @Override
  public void close() {
    watches.forEach(JudgedWatch::close);
  }
}
