package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import io.watchgate.json.KubeObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Benchmark of the cost of the digest for an event: the old object is removed and the new one
 * added. It runs together with {@link IngestBenchmark}, which measures the complete work for an
 * event. The goal is at most 3 % of that.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-XX:+UseCompactObjectHeaders", "-XX:+UseSerialGC", "-Xms3g", "-Xmx3g"})
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class StateDigestBenchmark {
  private static final int EVENTS = 20_000;
  private static final int PODS = 10_000;
  private static final double GOAL_PERCENT = 3;

  private final List<byte[]> pods = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();
  private StateDigest before = StateDigest.EMPTY;

  @Setup
  public void make() {
    PodBytes made = new PodBytes(1, 1024);
    for (int i = 0; i < PODS + EVENTS; i++) {
      pods.add(made.pod((int) (i * 7919L % PODS), 1_000_000 + i));
    }
  }

  /**
   * Reads objects in their initial state: the old ones were listed, and of the new ones nothing is
   * computed yet.
   */
  @Setup(Level.Invocation)
  public void read() throws Exception {
    changes.clear();
    List<KubeObject> views = new ArrayList<>();
    for (byte[] pod : pods) {
      views.add(KubeObject.read(pod, FieldPaths.NONE));
    }
    StateDigest listed = StateDigest.EMPTY;
    for (int i = 0; i < PODS; i++) {
      listed = listed.plus(views.get(i));
    }
    before = listed;
    for (int i = 0; i < EVENTS; i++) {
      changes.add(new Change(views.get(i), views.get(i + PODS)));
    }
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public StateDigest event() {
    StateDigest digest = before;
    for (Change change : changes) {
      digest = digest.after(change);
    }
    return digest;
  }

  /** Runs both benchmarks and prints the ratio. */
  public static void main(String[] arguments) throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(StateDigestBenchmark.class.getName() + ".event$")
                    .include(IngestBenchmark.class.getName() + ".ingest$")
                    .build())
            .run();
    double digest =
        results.stream()
            .filter(result -> sizeOf(result) == null)
            .mapToDouble(StateDigestBenchmark::nanos)
            .sum(); // of one
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (RunResult ingest : results) {
      String size = sizeOf(ingest);
      if (size != null) {
        out.printf(
            Locale.ROOT,
            "of an event of %s bytes, %,.0f ns, the digest costs %.1f ns: %.1f %% (goal: at most"
                + " %.0f %%)%n",
            size,
            nanos(ingest),
            digest,
            100 * digest / nanos(ingest),
            GOAL_PERCENT);
      }
    }
  }

  /** Returns the size of the objects of {@link IngestBenchmark}; null for the digest alone. */
  private static @Nullable String sizeOf(RunResult result) {
    return result.getParams().getParam("size");
  }

  /** Returns the median of the iterations, so that other load in one of them does not count. */
  private static double nanos(RunResult result) {
    return result.getPrimaryResult().getStatistics().getPercentile(50);
  }
}
