package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.select.SelectableFields;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Benchmark of the heap size of 150,000 pods of 2 KiB, after a full collection: after the list,
 * during a list without changes, and during a list in which every object changed. The limits are
 * 1.15 × raw bytes + 400 bytes an object, and 1.1 × and 2 × of that.
 */
final class HeapBenchmark {
  private static final int PODS = 150_000;
  private static final int SIZE = 2_048;
  private static final TypeDefinition DEFINITION =
      new TypeDefinition(
          new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED),
          "pod",
          List.of(),
          List.of("list", "watch"),
          "",
          List.of());
  private static final FieldPaths PATHS = SelectableFields.of(DEFINITION).paths();

  private HeapBenchmark() {}

  public static void main(String[] args) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    long empty = liveHeap();
    WatchCache cache =
        new WatchCache(
            DEFINITION,
            CacheSettings.forHeap(Long.MAX_VALUE / 4)
                .withHistory(Duration.ofMinutes(10), 64L << 20),
            TimeSource.SYSTEM,
            CacheMetrics.NONE);
    long raw = list(cache);
    long listed = liveHeap() - empty;
    double limit = 1.15 * raw + 400.0 * PODS;
    out.printf(
        Locale.ROOT,
        "%,d pods, %,d raw bytes%nlisted:           %,d bytes, %.3f of the limit (1.15 x raw + 400"
            + " each); %.0f bytes an object beside its own%n",
        PODS,
        raw,
        listed,
        listed / limit,
        (listed - raw) / (double) PODS);

    ListCollector unchanged =
        ListCollector.replacing(state(cache), PATHS, cache.skipped(), cache.stateShare());
    for (byte[] pod : sortedPods(1)) {
      unchanged.item(pod);
    }
    StateMap same = unchanged.state();
    long during = liveHeap() - empty;
    cache.publishList(new ResourceVersion("1000001"), same, cache.now());
    out.printf(
        Locale.ROOT,
        "unchanged relist: %,d bytes at its end, %.3f of listed (limit 1.1)%n",
        during,
        during / (double) listed);

    ListCollector changed =
        ListCollector.replacing(state(cache), PATHS, cache.skipped(), cache.stateShare());
    for (byte[] pod : sortedPods(2)) {
      changed.item(pod);
    }
    StateMap replaced = changed.state();
    during = liveHeap() - empty;
    cache.publishList(new ResourceVersion("3000000"), replaced, cache.now());
    out.printf(
        Locale.ROOT,
        "changed relist:   %,d bytes at its end, %.3f of listed (limit 2)%n",
        during,
        during / (double) listed);
  }

  private static long list(WatchCache cache) {
    long raw = 0;
    ListCollector collector =
        ListCollector.replacing(StateMap.EMPTY, PATHS, cache.skipped(), cache.stateShare());
    for (byte[] pod : sortedPods(1)) {
      raw += pod.length;
      collector.item(pod);
    }
    cache.publishList(new ResourceVersion("1000000"), collector.state(), cache.now());
    return raw;
  }

  private static StateMap state(WatchCache cache) {
    Revision head = cache.head();
    return head == null ? StateMap.EMPTY : head.state();
  }

  /** Returns the pods one after the other, in the order of a list; keeps none of them. */
  private static Iterable<byte[]> sortedPods(int version) {
    PodBytes pods = new PodBytes(version, SIZE);
    List<Integer> order =
        IntStream.range(0, PODS)
            .boxed()
            .sorted(
                Comparator.comparing(
                    i -> "team-" + i % 100 + "/web-7d4b9c6f5d-" + Integer.toString(i, 36)))
            .toList();
    return () -> order.stream().map(i -> pods.pod(i, (long) version * 1_000_000 + i)).iterator();
  }

  private static long liveHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
