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
  private double[] lastCompilerSeconds;
  private double[] lastProcessSeconds;

  JitCpuTime(ProcFiles files, List<Long> pids) {
    this.files = files;
    this.pids = List.copyOf(pids);
    this.lastCompilerSeconds = compilerSeconds();
    this.lastProcessSeconds = processSeconds();
  }

  /**
   * Returns the CPU seconds of a process's live JIT compiler threads; 0 if the process is not a
   * JVM.
   */
  static double seconds(ProcFiles files, long pid) {
    return files.threadSeconds(pid, THREADS);
  }

  private double[] compilerSeconds() {
    return pids.stream().mapToDouble(pid -> seconds(files, pid)).toArray();
  }

  private double[] processSeconds() {
    return pids.stream().mapToDouble(files::processSeconds).toArray();
  }

  /**
   * Returns the largest share among the processes since the last call.
   *
   * @return from 0 to 1
   */
  double share() {
    double[] compilingNow = compilerSeconds();
    double[] allNow = processSeconds();
    double most = 0;
    for (int i = 0; i < allNow.length; i++) {
      double share =
          (compilingNow[i] - lastCompilerSeconds[i]) / (allNow[i] - lastProcessSeconds[i]);
      if (share > most) { // false for NaN, which includes 0 / 0
        most = share;
      }
    }
    lastCompilerSeconds = compilingNow;
    lastProcessSeconds = allNow;
    return Math.min(most, 1);
  }
}
