package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a client at a gateway in front of a real apiserver. */
@WithApiserver
interface RealGatewayCases extends RestartedGatewayCase {
  @Test
  default void client_receivesSnapshotThenChangesAndResumes(
      Apiserver apiserver, @TempDir Path folder) throws Exception {
    Maps maps = new Maps(apiserver.cluster());
    maps.create("kept");
    maps.create("changed");
    String[] arguments = {
      "-n", maps.namespace(), "--position-file", folder.resolve("position").toString()
    };
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver)) {
      try (WatchProgram first = WatchProgram.start(client(), gateway.port(), arguments)) {
        first.awaitStory(
            story ->
                assertThat(story)
                    .containsExactlyInAnyOrder(
                        maps.line("ADDED", "kept"), maps.line("ADDED", "changed"), "SYNCED")
                    .endsWith("SYNCED"));
        maps.change("changed", "one");
        maps.delete("kept");
        first.awaitStory(
            story ->
                assertThat(story)
                    .endsWith(
                        "SYNCED", maps.line("MODIFIED", "changed"), maps.line("DELETED", "kept")));
        assertThat(first.program().stop()).isZero();
        assertThat(first.program().err()).isEmpty();
        await()
            .atMost(Duration.ofMinutes(3))
            .untilAsserted(
                () ->
                    assertThat(gateway.metrics().laneResponses())
                        .as("changes that took the lane")
                        .isPositive());
      }
      maps.change("changed", "two");
      try (WatchProgram second = WatchProgram.start(client(), gateway.port(), arguments)) {
        second.awaitStory(
            story ->
                assertThat(story).containsExactly("RESUMED", maps.line("MODIFIED", "changed")));
        assertThat(second.last("MODIFIED").at("/data/value").textValue()).isEqualTo("two");
        assertThat(second.program().stop()).isZero();
      }
    }
  }

  @Test
  default void refusal_hasReason(Apiserver apiserver) throws Exception {
    try (GatewayUnderTest gateway = RestartedGatewayCase.gateway(apiserver);
        WatchProgram refused = WatchProgram.start(client(), gateway.port(), "-l", "app in (web")) {
      assertThat(refused.program().end()).isEqualTo(1);
      assertThat(refused.story()).containsExactly("ERROR INVALID_ARGUMENT");
      JsonNode error = refused.last("ERROR");
      assertThat(error.get("reason").textValue()).isEqualTo("SELECTOR_INVALID");
      assertThat(error.get("action").textValue()).isEqualTo("STOP");
      assertThat(refused.program().err())
          .singleElement()
          .asString()
          .contains(error.get("message").textValue());
    }
  }
}
