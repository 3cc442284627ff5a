package io.watchgate.bench;

/**
 * What a run found out, of the span that was measured; NaN what could not be.
 *
 * @param seconds how long that was
 * @param steadySeconds how long its load was there before the server's cost was steady; NaN if it
 *     never was, or if that was not waited for: then it was not warm, perhaps
 * @param writes answered in it
 * @param reconnects of readers that do so
 * @param ends of streams that ended by themselves: what the last one was told, empty if none did
 */
public record BenchResult(
    double seconds,
    double steadySeconds,
    long writes,
    long deliveries,
    long responses,
    long bytes,
    long snapshotObjects,
    Opening opening,
    Latency latency,
    Cpu cpu,
    Memory memory,
    LossReport losses,
    long reconnects,
    String ends) {

  /** From the moment a write was meant to be made until its change was read, in microseconds. */
  public record Latency(long count, double p50, double p90, double p99, double max) {
    static Latency of(LatencyHistogram histogram) {
      return new Latency(
          histogram.total(),
          histogram.quantile(0.5) / 1e3,
          histogram.quantile(0.9) / 1e3,
          histogram.quantile(0.99) / 1e3,
          histogram.max() / 1e3);
    }
  }

  /**
   * Processor time. What a server's compilers use is not its own: one in service has them behind
   * it, and one that has run for half a minute has not.
   *
   * @param serverMicros for each delivery
   * @param readerMicros of this process for reading, for each delivery
   * @param writerMicros of this process for writing, for each write
   * @param serverPercent of the machine
   * @param compilerPercent the server's compilers, of the machine
   * @param foreignPercent of the machine, by processes that do not belong to the run
   */
  public record Cpu(
      double serverMicros,
      double readerMicros,
      double writerMicros,
      double serverPercent,
      double compilerPercent,
      double foreignPercent) {}

  /**
   * Of the server.
   *
   * @param residentBytes at the end
   * @param residentGrowth in the span
   * @param allocatedPerDelivery bytes of Java objects
   */
  public record Memory(
      double residentBytes,
      double residentGrowth,
      double heapBytes,
      double directBytes,
      double allocatedPerDelivery) {}

  /**
   * How long it took until all streams had what they began with, in seconds; NaN if there were
   * none.
   *
   * @param streams those of the beginning, connecting included
   * @param joining those that joined later: from the first request to the last Synced
   * @param joiningCpu what the server needed for them
   * @param returning those that came back: from the first request until all had what they missed
   */
  public record Opening(double streams, double joining, double joiningCpu, double returning) {}

  static BenchResult of(
      UsageSample begin,
      UsageSample end,
      Outcome outcome,
      double steadySeconds,
      Opening opening,
      int processors) {
    double seconds = (end.nanos() - begin.nanos()) / 1e9;
    DeliveryCounts traffic = end.traffic().minus(begin.traffic());
    double deliveries = traffic.deliveries();
    long writes = end.written() - begin.written();
    double server = end.server().cpuSeconds() - begin.server().cpuSeconds();
    double compilers = end.server().compilerSeconds() - begin.server().compilerSeconds();
    double own = end.ownSeconds() - begin.ownSeconds();
    double others = end.othersSeconds() - begin.othersSeconds();
    double machine = end.machineSeconds() - begin.machineSeconds();
    double capacity = seconds * processors;
    return new BenchResult(
        seconds,
        steadySeconds,
        writes,
        traffic.deliveries(),
        traffic.responses(),
        traffic.bytes(),
        end.traffic().snapshotObjects(),
        opening,
        Latency.of(outcome.latencies()),
        new Cpu(
            server * 1e6 / deliveries,
            (end.readSeconds() - begin.readSeconds()) * 1e6 / deliveries,
            (end.writeSeconds() - begin.writeSeconds()) * 1e6 / writes,
            server * 100 / capacity,
            compilers * 100 / capacity,
            Math.max(
                0,
                (machine - server - (Double.isNaN(compilers) ? 0 : compilers) - own - others)
                    * 100
                    / capacity)),
        new Memory(
            end.server().residentBytes(),
            end.server().residentBytes() - begin.server().residentBytes(),
            end.server().heapBytes(),
            end.server().directBytes(),
            (end.server().allocatedBytes() - begin.server().allocatedBytes()) / deliveries),
        outcome.losses(),
        outcome.reconnects(),
        outcome.lastEnd());
  }

  /** What is known once all streams are closed. */
  record Outcome(LatencyHistogram latencies, LossReport losses, long reconnects, String lastEnd) {}
}
