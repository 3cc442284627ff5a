package io.watchgate.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import java.util.ArrayList;
import java.util.List;

/** Both servers. What is asked of one is asked of the other. */
record Twins(Side real, Side sandbox) {

  /**
   * Asks both, and notes whether the sandbox answers what the real one does; returns the latter.
   */
  Side.Answer ask(Ask ask, List<String> differences) {
    Side.Answer expected = real.send(ask);
    Side.Answer answer = sandbox.send(ask);
    // Where a JSON patch does not apply the apiserver says no more than that; the sandbox, why.
    boolean unexplained =
        ask.contentType().equals("application/json-patch+json") && expected.code() == 422;
    boolean same = unexplained ? answer.code() == 422 : answer.equals(expected);
    if (!same) {
      differences.add(
          "asked %s%n  the apiserver: %s%n  the sandbox:   %s".formatted(ask, expected, answer));
    }
    return expected;
  }

  /** Asks both, and holds the sandbox to what the real one answers, which is returned. */
  Side.Answer same(Ask ask) {
    List<String> differences = new ArrayList<>();
    Side.Answer expected = ask(ask, differences);
    assertThat(differences).isEmpty();
    return expected;
  }

  /** Asks both for something that must work on both; their answers are of no interest. */
  void done(Ask ask) {
    assertThat(real.send(ask).code()).as("%s", ask).isBetween(200, 299);
    assertThat(sandbox.send(ask).code()).as("the sandbox, asked %s", ask).isBetween(200, 299);
  }

  /** As the real one completes it. */
  JsonNode completed(String collection, String body) {
    Cluster.Reply reply =
        real.cluster()
            .send("POST", collection + "?dryRun=All", "application/json", "application/json", body);
    assertThat(reply.code()).as("%s", reply).isEqualTo(201);
    return Json.parse(reply.body());
  }
}
