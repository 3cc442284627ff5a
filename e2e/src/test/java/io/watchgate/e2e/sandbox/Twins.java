package io.watchgate.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

/** Both servers. What is asked of one is asked of the other. */
record Twins(Side real, Side sandbox) {

  /** Asks both, and holds the sandbox to what the real one answers, which is returned. */
  Side.Answer same(Ask ask) {
    Side.Answer expected = real.send(ask);
    assertThat(sandbox.send(ask)).as("the sandbox, asked %s", ask).isEqualTo(expected);
    return expected;
  }

  /** Asks both for something that must work on both; their answers are of no interest. */
  void done(Ask ask) {
    assertThat(real.send(ask).code()).as("%s", ask).isBetween(200, 299);
    assertThat(sandbox.send(ask).code()).as("the sandbox, asked %s", ask).isBetween(200, 299);
  }

  /** As the real one completes it, without what is each server's own. */
  JsonNode completed(String collection, String body) {
    Side.Answer answer = real.send(Ask.post(collection + "?dryRun=All", body));
    assertThat(answer.code()).as("%s", answer).isEqualTo(201);
    return answer.body();
  }
}
