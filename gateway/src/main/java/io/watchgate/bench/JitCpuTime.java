package io.watchgate.bench;

import java.util.List;

/**
 * Share of JIT compilation in the CPU time of Java processes; 0 if unknown. Confined to one thread.
 */
final class JitCpuTime {
  /** Part of the name of each JIT compiler thread, as Linux truncates it. */
  private static final String THREADS = "CompilerThre";

  private final ProcFiles files;
  private final List<Long> pids;
  private double[] compiling;
  private double[] all;

  JitCpuTime(ProcFiles files, List<Long> pids) {
    this.files = files;
    this.pids = List.copyOf(pids);
    this.compiling = compiling();
    this.all = all();
  }

  /**
   * Returns the CPU seconds of a process's live JIT compiler threads; 0 if the process is not a
   * JVM.
   */
  static double seconds(ProcFiles files, long pid) {
    return files.threadSeconds(pid, THREADS);
  }

  private double[] compiling() {
    return pids.stream().mapToDouble(pid -> seconds(files, pid)).toArray();
  }

  private double[] all() {
    return pids.stream().mapToDouble(files::processSeconds).toArray();
  }

  /**
   * Returns the largest share among the processes since the last call.
   *
   * @return from 0 to 1
   */
  double share() {
    double[] compilingNow = compiling();
    double[] allNow = all();
    double most = 0;
    for (int i = 0; i < allNow.length; i++) {
      double share = (compilingNow[i] - compiling[i]) / (allNow[i] - all[i]);
      if (share > most) { // false for NaN, which includes 0 / 0
        most = share;
      }
    }
    compiling = compilingNow;
    all = allNow;
    return Math.min(most, 1);
  }
}
