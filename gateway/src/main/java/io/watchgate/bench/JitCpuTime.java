package io.watchgate.bench;

import java.util.List;

/**
 * How much of what Java machines use is their compilers'; nothing where that is not known. Used by
 * one thread.
 */
final class JitCpuTime {
  /** In the names of the threads that compile, as Linux shortens them. */
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

  /** What those of a process have used that are there; zero of what is no Java machine. */
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
   * Since it was asked last, of the process where it is most.
   *
   * @return from 0 to 1
   */
  double share() {
    double[] compilingNow = compiling();
    double[] allNow = all();
    double most = 0;
    for (int i = 0; i < allNow.length; i++) {
      double share = (compilingNow[i] - compiling[i]) / (allNow[i] - all[i]);
      if (share > most) { // never so for NaN, which is 0 of 0 too
        most = share;
      }
    }
    compiling = compilingNow;
    all = allNow;
    return Math.min(most, 1);
  }
}
