package io.watchgate.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/**
 * Sample of all counters at one moment.
 *
 * @param nanos time on the run's clock
 * @param othersSeconds CPU time of further processes that belong to the run, such as the apiserver
 * @param machineSeconds CPU time of the machine
 */
record UsageSample(
    long nanos,
    long written,
    DeliveryCounts counts,
    ServerUsage server,
    OwnSeconds own,
    double othersSeconds,
    double machineSeconds) {

  /**
   * CPU time of this process.
   *
   * @param reading part of {@code total} for reading
   * @param writing part of {@code total} for writing
   */
  record OwnSeconds(double total, double reading, double writing) {
    static OwnSeconds sample() {
      return new OwnSeconds(
          ProcessHandle.current()
              .info()
              .totalCpuDuration()
              .map(time -> time.toNanos() / 1e9)
              .orElse(Double.NaN),
          threadSeconds(BenchEventLoops.THREADS),
          threadSeconds(Writer.THREADS) + threadSeconds("OkHttp"));
    }

    /** Returns the CPU seconds of all live threads whose names have the prefix. */
    private static double threadSeconds(String prefix) {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long nanos = 0;
      for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
        if (thread != null && thread.getThreadName().startsWith(prefix)) {
          nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
        }
      }
      return nanos / 1e9;
    }
  }
}
