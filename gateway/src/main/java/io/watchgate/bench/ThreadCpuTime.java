package io.watchgate.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** Processor time of this process, and of those of its threads whose names begin alike. */
final class ThreadCpuTime {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** Seconds of all living threads so called. */
  double seconds(String prefix) {
    long nanos = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith(prefix)) {
        nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return nanos / 1e9;
  }

  /** Seconds of the process. */
  static double all() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(time -> time.toNanos() / 1e9)
        .orElse(Double.NaN);
  }
}
