package io.watchgate.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import java.util.ArrayList;
import java.util.List;

/** Both servers, which receive the same requests. */
record ServerPair(ComparedServer real, ComparedServer sandbox) {

  /**
   * Sends a request to both, records a difference between the answers, and returns the real
   * server's answer.
   */
  ComparedServer.Answer ask(ComparedRequest ask, List<String> differences) {
    ComparedServer.Answer expected = real.send(ask);
    ComparedServer.Answer answer = sandbox.send(ask);
    // If a JSON patch does not apply, the apiserver reports only that; the sandbox adds the reason.
    boolean unexplained =
        ask.contentType().equals("application/json-patch+json") && expected.code() == 422;
    boolean same = unexplained ? answer.code() == 422 : answer.equals(expected);
    if (!same) {
      differences.add(
          "asked %s%n  the apiserver: %s%n  the sandbox:   %s".formatted(ask, expected, answer));
    }
    return expected;
  }

  /** Sends a request to both, requires equal answers, and returns the real server's answer. */
  ComparedServer.Answer same(ComparedRequest ask) {
    List<String> differences = new ArrayList<>();
    ComparedServer.Answer expected = ask(ask, differences);
    assertThat(differences).isEmpty();
    return expected;
  }

  /** Sends a request that must succeed at both; the answers are not compared. */
  void done(ComparedRequest ask) {
    assertThat(real.send(ask).code()).as("%s", ask).isBetween(200, 299);
    assertThat(sandbox.send(ask).code()).as("the sandbox, asked %s", ask).isBetween(200, 299);
  }

  /** Returns the object with the real server's defaults. */
  JsonNode completed(String collection, String body) {
    Cluster.Reply reply =
        real.cluster()
            .send("POST", collection + "?dryRun=All", "application/json", "application/json", body);
    assertThat(reply.code()).as("%s", reply).isEqualTo(201);
    return Json.parse(reply.body());
  }
}
