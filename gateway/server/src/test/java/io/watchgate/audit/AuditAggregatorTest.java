package io.watchgate.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.auth.Callers;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of events that get no line of their own in the audit log, and of the lines that count them.
 */
final class AuditAggregatorTest {
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private static final AuditSettings SETTINGS = new AuditSettings(Duration.ofSeconds(60), 100, 50);

  private Instant now = BEGIN;
  private final List<String> written = new ArrayList<>();
  private final AuditLog log = new AuditLog(written::add, () -> now, SETTINGS);

  private static AuditLog.Subject subject(
      @Nullable String user, String address, String resource, String namespace) {
    Caller caller = user == null ? null : Callers.named(user);
    return new AuditLog.Subject(
        AccessAttributes.Verb.WATCH,
        caller,
        "none",
        address,
        40_000,
        "a client",
        "",
        "",
        Selection.newBuilder()
            .setResourceType(ResourceType.newBuilder().setResource(resource))
            .addNamespaces(namespace)
            .build());
  }

  private void denied(AuditLog.Subject subject) {
    log.write(AuditLog.Event.DENIED, subject, ErrorReason.ERROR_REASON_ACCESS_DENIED);
  }

  private void opened(AuditLog.Subject subject) {
    log.write(AuditLog.Event.OPENED, subject, ErrorReason.ERROR_REASON_UNSPECIFIED);
  }

  private List<JsonObject> lines() {
    return written.stream().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
  }

  /** A summary counts as many events as it names, any other line counts one. */
  private static long events(List<JsonObject> lines) {
    return lines.stream()
        .mapToLong(line -> line.has("repeated") ? line.get("repeated").getAsLong() : 1)
        .sum();
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(1)) {
      now = now.plusSeconds(1);
      log.tick();
    }
  }

  @Test
  void equalDenials_areOneLineAndOneSummaryPerInterval() {
    AuditLog.Subject joe = subject("joe", "10.0.0.1", "pods", "shop");
    for (int second = 0; second < 60; second++) {
      for (int i = 0; i < 182; i++) {
        denied(joe);
      }
      pass(Duration.ofSeconds(1));
    }

    assertThat(lines()).hasSize(2);
    JsonObject first = lines().getFirst();
    assertThat(first.get("time").getAsString()).isEqualTo("2030-01-01T00:00:00Z");
    assertThat(first.get("client").getAsString()).isEqualTo("a client");
    assertThat(lines().getLast())
        .isEqualTo(
            JsonParser.parseString(
                """
                {"time":"2030-01-01T00:01:00Z","event":"denied","repeated":10919,
                 "first":"2030-01-01T00:00:00Z","last":"2030-01-01T00:00:59Z",
                 "user":"joe","address":"10.0.0.1","verb":"watch","resource":"pods","group":"",
                 "namespaces":["shop"],"reason":"ACCESS_DENIED"}\
                """));
    assertThat(log.summarizedEvents()).isEqualTo(10_919);
  }

  @Test
  void denial_afterAQuietInterval_getsALineAtOnce() {
    AuditLog.Subject joe = subject("joe", "10.0.0.1", "pods", "shop");
    denied(joe);
    pass(Duration.ofSeconds(60));
    denied(joe);

    assertThat(lines()).hasSize(2).noneMatch(line -> line.has("repeated"));
  }

  @Test
  void denialsThatDiffer_getALineEach() {
    denied(subject("joe", "10.0.0.1", "pods", "shop"));
    denied(subject("joe", "10.0.0.1", "pods", "other"));
    denied(subject("joe", "10.0.0.1", "services", "shop"));
    denied(subject("jane", "10.0.0.1", "pods", "shop"));
    denied(subject(null, "10.0.0.1", "pods", "shop"));
    denied(subject(null, "10.0.0.2", "pods", "shop"));
    log.write(
        AuditLog.Event.DENIED,
        subject("joe", "10.0.0.1", "pods", "shop"),
        ErrorReason.ERROR_REASON_QUOTA);
    denied(subject("joe", "10.0.0.9", "pods", "shop")); // again, from another address

    assertThat(lines()).hasSize(7).noneMatch(line -> line.has("repeated"));
  }

  @Test
  void wrongAndMissingToken_areSummarizedApart() {
    AuditLog.Subject missing = subject(null, "10.0.0.1", "pods", "shop");
    AuditLog.Subject wrong =
        new AuditLog.Subject(
            missing.verb(), null, "token", missing.address(), 1, "", "", "", missing.selection());
    for (int i = 0; i < 3; i++) {
      log.write(AuditLog.Event.DENIED, missing, ErrorReason.ERROR_REASON_CREDENTIALS_INVALID);
    }
    for (int i = 0; i < 2; i++) {
      log.write(AuditLog.Event.DENIED, wrong, ErrorReason.ERROR_REASON_CREDENTIALS_INVALID);
    }
    log.close();

    assertThat(lines())
        .extracting(
            line -> line.get("credentials").getAsString(),
            line -> line.has("repeated") ? line.get("repeated").getAsInt() : 0)
        .containsExactlyInAnyOrder(
            tuple("none", 0), tuple("token", 0), tuple("none", 2), tuple("token", 1));
  }

  @Test
  void anonymousCallers_areKeyedByAddress() {
    for (int i = 0; i < 2; i++) {
      for (int host = 1; host <= 3; host++) {
        AuditLog.Subject known = subject(null, "10.0.0." + host, "pods", "shop");
        denied(
            new AuditLog.Subject(
                known.verb(),
                Caller.UNAUTHENTICATED,
                "none",
                known.address(),
                1,
                "",
                "",
                "",
                known.selection()));
      }
    }
    log.close();

    assertThat(lines()).hasSize(6);
    assertThat(lines().subList(3, 6))
        .allMatch(line -> line.get("user").getAsString().equals("system:anonymous"))
        .extracting(line -> line.get("address").getAsString())
        .containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2", "10.0.0.3");
  }

  @Test
  void close_writesAllSummaries() {
    AuditLog.Subject unknown = subject(null, "10.0.0.1", "pods", "shop");
    denied(unknown);
    denied(unknown);
    denied(unknown);
    log.close();

    assertThat(events(lines())).isEqualTo(3);
    JsonObject summary = lines().getLast();
    assertThat(summary.has("user")).isFalse();
    assertThat(summary.get("address").getAsString()).isEqualTo("10.0.0.1");
    assertThat(summary.get("repeated").getAsLong()).isEqualTo(2);
  }

  /**
   * A caller that opens and closes a thousand streams a second, or asks for one namespace after
   * another.
   */
  @Test
  void oneCaller_causesALimitedNumberOfLines() {
    for (int i = 0; i < 5_000; i++) {
      opened(subject("joe", "10.0.0.1", "pods", "shop"));
      log.write(
          AuditLog.Event.ENDED,
          subject("joe", "10.0.0.1", "pods", "shop"),
          ErrorReason.ERROR_REASON_UNSPECIFIED,
          new AuditLog.StreamEnd(Duration.ofMillis(1), 7, ""));
      denied(subject("joe", "10.0.0.1", "pods", "n" + i));
    }
    opened(subject("jane", "10.0.0.1", "pods", "shop"));
    assertThat(lines()).hasSize(101);

    pass(Duration.ofSeconds(60));
    assertThat(lines()).hasSize(104);
    assertThat(lines().subList(101, 104))
        .extracting(line -> line.get("event").getAsString())
        .containsExactlyInAnyOrder("opened", "ended", "denied");
    assertThat(lines().subList(101, 104)).noneMatch(line -> line.has("resource"));
    assertThat(events(lines())).isEqualTo(15_001);

    opened(subject("joe", "10.0.0.1", "pods", "shop"));
    assertThat(lines()).as("in the next interval").hasSize(105);
  }

  @Test
  void clockThatIsSetBack_endsTheInterval() {
    AuditLog.Subject joe = subject("joe", "10.0.0.1", "pods", "shop");
    denied(joe);
    denied(joe);
    now = now.minus(Duration.ofDays(1));
    log.tick();

    assertThat(events(lines())).isEqualTo(2);
  }

  @Test
  void withoutAnInterval_eachEventGetsALine() {
    AuditLog each = new AuditLog(written::add, () -> now, AuditSettings.EACH);
    for (int i = 0; i < 2_000; i++) {
      each.write(
          AuditLog.Event.DENIED,
          subject("joe", "10.0.0.1", "pods", "shop"),
          ErrorReason.ERROR_REASON_ACCESS_DENIED);
    }

    assertThat(lines()).hasSize(2_000);
  }

  /** Also above the bound of counters. */
  @Test
  void eachEvent_countsOnce() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int[] happened = {0};
    IntStream.range(0, 50_000)
        .forEach(
            i -> {
              AuditLog.Subject subject =
                  subject(
                      random.nextInt(3) == 0 ? null : "u" + random.nextInt(20),
                      "10.0.0." + random.nextInt(40),
                      "type" + random.nextInt(5),
                      "n" + random.nextInt(3));
              if (random.nextBoolean()) {
                opened(subject);
              } else {
                denied(subject);
              }
              happened[0]++;
              if (random.nextInt(200) == 0) {
                pass(Duration.ofSeconds(random.nextInt(40)));
              }
            });
    log.close();

    assertThat(events(lines())).as("seed %d", seed).isEqualTo(happened[0]);
    assertThat(lines().size() + log.summarizedEvents())
        .as("seed %d", seed)
        .isEqualTo(happened[0] + lines().stream().filter(line -> line.has("repeated")).count());
  }
}
