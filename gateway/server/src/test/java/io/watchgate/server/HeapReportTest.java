package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.HeapBudget;
import io.watchgate.fanout.FanoutSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Messages about the heap at the start, and refused heaps. */
final class HeapReportTest {
  private static final long MIB = 1 << 20;

  private static HeapReport plan(long heapMib) {
    long heap = heapMib * MIB;
    return new HeapReport(
        new HeapBudget(heap),
        CacheSettings.forHeap(heap),
        FanoutSettings.Limits.forHeap(heap),
        new GatewayStreamLimits(1_000, 100),
        heap);
  }

  @Test
  void line_hasLimitOfEachPart() {
    assertThat(plan(256).line())
        .isEqualTo(
            "heap 256 MiB, of which at most: states 153 MiB (one type 128), history 32 MiB and"
                + " laggards 32 MiB of each type, snapshots 32 MiB, unread responses 16 MiB; and"
                + " 2,250 bytes for each stream, of which there may be 1,000 as long as the heap"
                + " has room");
    assertThat(plan(256).warnings()).isEmpty();
  }

  @Test
  void check_heapTooSmall_throws() {
    assertThatThrownBy(() -> plan(32).requireSufficientHeap())
        .hasMessage(
            "a gateway needs a heap of 40 MiB at least, and has 32: give it more with -Xmx, of"
                + " which an embedded sandbox takes half (launcher: WATCHGATE_JAVA_OPTS=-Xmx256m;"
                + " container: a larger memory limit)");
    assertThatCode(() -> plan(48).requireSufficientHeap()).doesNotThrowAnyException();
  }

  @Test
  void warnings_limitsAboveMemory_nameOptions() {
    HeapReport usual = plan(128);
    HeapReport asked =
        new HeapReport(
            usual.budget(),
            usual.cache().withHistory(Duration.ofMinutes(10), 100 * MIB),
            new FanoutSettings.Limits(1, 100 * MIB, 16, 64 * MIB),
            usual.streams(),
            128 * MIB);

    assertThat(asked.warnings())
        .containsExactly(
            "--history-mib and --laggard-mib are 116 MiB of each type, and the heap has 90 for"
                + " everything: less is kept. Lower them, or give a larger heap (-Xmx)",
            "--outbound-mib 100 may take up to twice as much outside the heap, where Java may use"
                + " 128 MiB: streams may fail before slow readers are closed. Lower it, or raise"
                + " -XX:MaxDirectMemorySize");
  }
}
