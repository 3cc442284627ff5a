package io.watchgate.server;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.HeapBudget;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.GatewayServer;
import io.watchgate.grpc.GatewayStreamLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Report of how the heap is divided among the parts of a gateway, checked and logged at the start.
 *
 * @param types number of types opened at the start; each has a history and laggards of its own
 * @param directBytes largest number of bytes that Java may use outside the heap
 */
record HeapReport(
    HeapBudget budget,
    CacheSettings cache,
    FanoutSettings.Limits feed,
    GatewayStreamLimits streams,
    int types,
    long directBytes) {
  private static final Logger log = LoggerFactory.getLogger(HeapReport.class);

  /**
   * Verifies that the heap is large enough for a gateway.
   *
   * @throws IOException if the heap is too small for any type
   */
  void requireSufficientHeap() throws IOException {
    if (budget.heap()
        < CacheSettings.Heap.MIN_HEAP / 10 * 9) { // maxMemory() is up to 10 % below -Xmx
      throw new IOException(
          "a gateway needs a heap of %d MiB at least, and has %d: give it more with -Xmx (launcher:"
                  .formatted(mib(CacheSettings.Heap.MIN_HEAP), mib(budget.heap()))
              + " WATCHGATE_JAVA_OPTS=-Xmx256m; container: a larger memory limit)");
    }
  }

  /** Returns the heap bytes that snapshots of {@code bytes} take. */
  static long snapshotHeap(long bytes) {
    return bytes / FanoutSettings.Limits.SNAPSHOT_HEAP_PART;
  }

  /** Returns the bytes needed if every part reached its own limit. */
  long neededBytes() {
    return CacheSettings.Heap.PROGRAM_BYTES
        + cache.states().total()
        + Math.max(1, types) * historyOfType()
        + snapshotHeap(feed.snapshotBytes())
        + GatewayServer.unreadBytesLimit(budget.heap())
        + GatewayStreamLimits.STREAM_BYTES * streams.total();
  }

  private long historyOfType() {
    return cache.history().bytes() + cache.history().laggardBytes();
  }

  /** Returns the lines of the table. */
  List<String> table() {
    return List.of(
        "heap %d MiB: %d for what is held, %d for the program, the rest for the collector; at their"
                .formatted(
                    mib(budget.heap()), mib(budget.limit()), mib(CacheSettings.Heap.PROGRAM_BYTES))
            + " limits all parts would need %d. When it is full, history and laggards give way"
                .formatted(mib(neededBytes()))
            + " first, then new streams are refused, then the type that grows ends",
        "heap, states: %d MiB, one type %d"
            .formatted(mib(cache.states().total()), mib(cache.states().perType())),
        "heap, history: %d MiB of each type, laggards %d"
            .formatted(mib(cache.history().bytes()), mib(cache.history().laggardBytes())),
        "heap, snapshots: %d MiB for %d under way; answers that are not read: %d; streams: %d"
            .formatted(
                mib(snapshotHeap(feed.snapshotBytes())),
                mib(feed.snapshotBytes()),
                mib(GatewayServer.unreadBytesLimit(budget.heap())),
                mib(GatewayStreamLimits.STREAM_BYTES * streams.total())),
        "outside the heap, responses that wait for slow readers: up to %d of %d MiB"
            .formatted(mib(2 * feed.outboundBytes()), mib(directBytes)));
  }

  /** Returns warnings about limits that cannot be kept, with the options to change. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    long history = historyOfType();
    if (history > budget.limit()) {
      warnings.add(
          "--history-mib and --laggard-mib are %d MiB of each type, and the heap has %d for"
                  .formatted(mib(history), mib(budget.limit()))
              + " everything: less is kept. Lower them, or give a larger heap (-Xmx)");
    }
    if (2 * feed.outboundBytes() > directBytes) {
      warnings.add(
          "--outbound-mib %d may take up to twice as much outside the heap, where Java may use %d"
                  .formatted(mib(feed.outboundBytes()), mib(directBytes))
              + " MiB: streams may fail before slow readers are closed. Lower it, or raise"
              + " -XX:MaxDirectMemorySize");
    }
    return warnings;
  }

  void logTable() {
    table().forEach(log::info);
    warnings().forEach(log::warn);
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
