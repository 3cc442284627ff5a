package io.watchgate.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;

/**
 * Result of a run, for the measurement window; NaN where a value is unknown. The components are the
 * members of the JSON that users and {@code compare} read, so their number is not reduced.
 *
 * @param seconds length of the measurement window
 * @param steadySeconds seconds under load until the server's cost was steady; NaN if it never was
 *     steady, or if the run did not wait for it: then the server may not have been warm
 * @param writes writes that were answered in the window
 * @param reconnects reconnects of the readers that reconnect repeatedly
 * @param ends status of the last stream that ended by itself; empty if none did
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
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .registerTypeAdapter(Double.class, unknownIsNull())
          .registerTypeAdapter(double.class, unknownIsNull())
          .create();

  /** Returns a serializer that writes NaN and infinities as null, because JSON has neither. */
  private static JsonSerializer<Double> unknownIsNull() {
    return (value, type, context) ->
        Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
  }

  /**
   * Time from the moment for which a write was scheduled until its change was read, in
   * microseconds.
   */
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
   * CPU time. The server's JIT compilers are reported separately: a server in production is already
   * warm, a server that has run for half a minute is not.
   *
   * @param serverMicros server CPU time per delivery
   * @param readerMicros CPU time of this process for reading, per delivery
   * @param writerMicros CPU time of this process for writing, per write
   * @param serverPercent share of the machine that the server used
   * @param compilerPercent share of the machine that the server's JIT compilers used
   * @param foreignPercent share of the machine that processes outside the run used
   */
  public record Cpu(
      double serverMicros,
      double readerMicros,
      double writerMicros,
      double serverPercent,
      double compilerPercent,
      double foreignPercent) {}

  /**
   * Memory of the server.
   *
   * @param residentBytes resident memory at the end
   * @param residentGrowth growth of the resident memory in the measurement window
   * @param allocatedPerDelivery allocated bytes of Java objects per delivery
   */
  public record Memory(
      double residentBytes,
      double residentGrowth,
      double heapBytes,
      double directBytes,
      double allocatedPerDelivery) {}

  /**
   * Seconds until all streams of a kind had their initial state; NaN if there were none.
   *
   * @param streams streams of the beginning, including the time to connect
   * @param joining streams that joined later, from the first request to the last Synced
   * @param joiningCpu server CPU seconds for the streams that joined later
   * @param returning streams that returned, from the first request until all had the changes they
   *     missed
   */
  public record Opening(double streams, double joining, double joiningCpu, double returning) {}

  /** Returns the result as JSON with a final line break. */
  public String json() {
    return GSON.toJson(this) + "\n";
  }

  static BenchResult of(
      UsageSample begin,
      UsageSample end,
      Outcome outcome,
      double steadySeconds,
      Opening opening,
      int processors) {
    double seconds = (end.nanos() - begin.nanos()) / 1e9;
    DeliveryCounts counts = end.counts().minus(begin.counts());
    double deliveries = counts.deliveries();
    long writes = end.written() - begin.written();
    double server = end.server().cpuSeconds() - begin.server().cpuSeconds();
    double compilers = end.server().compilerSeconds() - begin.server().compilerSeconds();
    double own = end.own().total() - begin.own().total();
    double others = end.othersSeconds() - begin.othersSeconds();
    double machine = end.machineSeconds() - begin.machineSeconds();
    double capacity = seconds * processors;
    return new BenchResult(
        seconds,
        steadySeconds,
        writes,
        counts.deliveries(),
        counts.responses(),
        counts.bytes(),
        end.counts().snapshotObjects(),
        opening,
        Latency.of(outcome.latencies()),
        new Cpu(
            server * 1e6 / deliveries,
            (end.own().reading() - begin.own().reading()) * 1e6 / deliveries,
            (end.own().writing() - begin.own().writing()) * 1e6 / writes,
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

  /** Results that are known once all streams are closed. */
  record Outcome(LatencyHistogram latencies, LossReport losses, long reconnects, String lastEnd) {}
}
