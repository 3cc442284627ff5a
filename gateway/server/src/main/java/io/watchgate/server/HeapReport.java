package io.watchgate.server;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.HeapSettings;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.GatewayServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Report of how the heap is divided among the parts of a gateway, checked at the start.
 *
 * @param directBytes largest number of bytes that Java may use outside the heap
 */
record HeapReport(
    HeapBudget budget,
    CacheSettings cache,
    FanoutSettings.Limits fanout,
    GatewayStreamLimits streams,
    long directBytes) {
  private static final Logger log = LoggerFactory.getLogger(HeapReport.class);

  /**
   * Verifies that the heap is large enough for a gateway.
   *
   * @throws IOException if the heap is too small for any type
   */
  void requireSufficientHeap() throws IOException {
    if (budget.heap() < HeapSettings.MIN_HEAP / 10 * 9) { // maxMemory() is up to 10 % below -Xmx
      throw new IOException(
          "a gateway needs a heap of %d MiB at least, and has %d: give it more with -Xmx, of which an"
                  .formatted(mib(HeapSettings.MIN_HEAP), mib(budget.heap()))
              + " embedded sandbox takes half (launcher: WATCHGATE_JAVA_OPTS=-Xmx256m; container: a"
              + " larger memory limit)");
    }
  }

  /** Returns the heap bytes that snapshots of {@code bytes} take. */
  static long snapshotHeap(long bytes) {
    return bytes / FanoutSettings.Limits.SNAPSHOT_HEAP_DIVISOR;
  }

  private long historyOfType() {
    return cache.history().bytes() + cache.history().laggardBytes();
  }

  /** Returns the largest sizes of the parts, in one line. */
  String line() {
    return ("heap %d MiB, of which at most: states %d MiB (one type %d), history %d MiB and"
            + " laggards %d MiB of each type, snapshots %d MiB, unread responses %d MiB; and %,d"
            + " bytes for each stream, of which there may be %,d as long as the heap has room")
        .formatted(
            mib(budget.heap()),
            mib(cache.states().total()),
            mib(cache.states().perType()),
            mib(cache.history().bytes()),
            mib(cache.history().laggardBytes()),
            mib(snapshotHeap(fanout.snapshotBytes())),
            mib(GatewayServer.unreadUnaryBytesLimit(budget.heap())),
            GatewayStreamLimits.STREAM_BYTES,
            streams.total());
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
    if (2 * fanout.outboundBytes() > directBytes) {
      warnings.add(
          "--outbound-mib %d may take up to twice as much outside the heap, where Java may use %d"
                  .formatted(mib(fanout.outboundBytes()), mib(directBytes))
              + " MiB: streams may fail before slow readers are closed. Lower it, or raise"
              + " -XX:MaxDirectMemorySize");
    }
    return warnings;
  }

  void logWarnings() {
    warnings().forEach(log::warn);
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
