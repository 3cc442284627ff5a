package io.watchgate.cli.doctor;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.watchgate.cli.output.TerminalEscaper;
import io.watchgate.cli.top.GatewaySurvey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Check of replicas by their page {@code /statusz}, which needs no token: whether each is ready,
 * its clock, and whether all have one version and one cluster. Blocks.
 */
public final class ReplicaCheck {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final String ALL = "replicas";

  private final Map<String, JsonObject> statuses = new LinkedHashMap<>();

  /**
   * Returns the findings.
   *
   * @param addresses {@code HOST:PORT} of {@code --http-listen} of each replica
   */
  public List<Finding> findings(List<String> addresses) throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    try (HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
      for (String address : addresses) {
        findings.addAll(ask(http, address));
      }
    }
    if (statuses.size() > 1) {
      findings.add(
          compare(
              "version",
              Finding.Level.WARNING,
              "Finish the update; a token of either version resumes at the other."));
      findings.add(
          compare(
              "cluster",
              Finding.Level.PROBLEM,
              "They watch different clusters: clients that change from one to the other start"
                  + " over. Name replicas of one gateway."));
    }
    return findings;
  }

  private List<Finding> ask(HttpClient http, String address) throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    try {
      Instant before = Instant.now();
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create("http://" + address + "/statusz"))
                  .timeout(TIMEOUT)
                  .header("Accept", "application/json")
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      Instant after = Instant.now();
      JsonObject status = JsonParser.parseString(response.body()).getAsJsonObject();
      findings.add(readiness(address, status));
      new ClockCheck(address, before, after)
          .finding(response.headers().firstValue("Date").orElse(""))
          .ifPresent(findings::add);
      statuses.put(address, status);
    } catch (IOException e) {
      findings.add(
          Finding.problem(
              address,
              "pages",
              "no answer: " + TerminalEscaper.inLine(GatewaySurvey.reason(e)),
              "Check that the replica runs, and that the address is that of --http-listen."));
    } catch (JsonParseException | IllegalStateException | NullPointerException e) {
      findings.add(
          Finding.problem(
              address,
              "pages",
              "the answer is no page of a gateway",
              "--pages takes the address of --http-listen, 9443 by default."));
    }
    return findings;
  }

  private static Finding readiness(String address, JsonObject status) {
    String ready = text(status, "ready");
    String summary =
        "version %s, up %s, %s streams, ready: %s"
            .formatted(text(status, "version"), text(status, "up"), text(status, "streams"), ready);
    return ready.equals("yes")
        ? Finding.ok(address, "ready", summary)
        : Finding.problem(
            address, "ready", summary, "http://" + address + "/readyz?verbose has each condition.");
  }

  private static String text(JsonObject status, String name) {
    return TerminalEscaper.inLine(status.get(name).getAsString());
  }

  private Finding compare(String name, Finding.Level level, String advice) {
    TreeSet<String> values = new TreeSet<>();
    statuses.values().forEach(status -> values.add(text(status, name)));
    return values.size() == 1
        ? Finding.ok(ALL, name, "all have " + values.first())
        : new Finding(ALL, name, level, "they have " + String.join(", ", values), advice);
  }
}
