package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.HeapSettings;
import org.junit.jupiter.api.Test;

/** Tests that collections update the heap's budget. */
final class HeapMonitorTest {
  private static long unaccounted(HeapBudget budget) {
    return budget.parts().stream()
        .filter(part -> part.name().equals("unaccounted"))
        .mapToLong(HeapBudget.Part::used)
        .sum();
  }

  /**
   * With a budget that is larger than the heap, the difference counts as used: the heap is full.
   */
  @Test
  void fullCollection_updatesUsedHeap() {
    long more = Runtime.getRuntime().maxMemory() * 9;
    HeapBudget budget = new HeapBudget(Runtime.getRuntime().maxMemory() + more);
    HeapBudget closed = new HeapBudget(budget.heap());
    HeapMonitor.start(closed).close();
    try (HeapMonitor _ = HeapMonitor.start(budget)) {
      System.gc();

      await().until(() -> unaccounted(budget) > more - HeapSettings.PROGRAM_BYTES);
      assertThat(unaccounted(closed)).isZero();
    }
  }
}
