package io.watchgate.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** CPU time of this process, and of its threads by a prefix of their names. */
final class ThreadCpuTime {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** Returns the CPU seconds of all live threads whose names have the prefix. */
  double threadSeconds(String prefix) {
    long nanos = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith(prefix)) {
        nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return nanos / 1e9;
  }

  /** Returns the CPU seconds of the process. */
  static double processSeconds() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(time -> time.toNanos() / 1e9)
        .orElse(Double.NaN);
  }
}
