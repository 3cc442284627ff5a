package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.ops.ReadinessCheck;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readiness of a gateway and of its types. */
final class ReadinessTest {
  private volatile String ofPods = "";

  private final Readiness readiness =
      new Readiness(() -> List.of(new ReadinessCheck("first list of pods", ofPods)));

  @Test
  void gateway_starting_isNotReady() {
    assertThat(readiness.isReady()).isFalse();
    assertThat(readiness.notReadyReason()).isEqualTo("starting");
  }

  @Test
  void gateway_readyAndTypesLoaded_isReady() {
    readiness.markReady();
    assertThat(readiness.isReady()).isTrue();
    assertThat(readiness.checks()).extracting(ReadinessCheck::failure).containsExactly("", "");
  }

  @Test
  void gateway_readyAndTypeNotLoaded_isNotReady() {
    ofPods = "pods are still being loaded";
    readiness.markReady();
    assertThat(readiness.isReady()).isFalse();
    assertThat(readiness.notReadyReason()).isEqualTo("pods are still being loaded");
  }

  @Test
  void gateway_ownReason_isFirst() {
    ofPods = "pods are still being loaded";
    assertThat(readiness.markNotReady("shutting down")).isTrue();
    assertThat(readiness.markNotReady("shutting down")).isFalse();
    assertThat(readiness.notReadyReason()).isEqualTo("shutting down");
    assertThat(readiness.checks())
        .extracting(ReadinessCheck::name)
        .containsExactly("gateway", "first list of pods");
  }
}
