package io.watchgate.bench;

import java.util.List;

/** What Java machines spend on compiling; nothing where that is not known. Used by one thread. */
final class Compilers {
  /** In the names of the threads that compile, as Linux shortens them. */
  private static final String THREADS = "CompilerThre";

  private final ProcFiles files;
  private final List<Long> pids;
  private double[] before;

  Compilers(ProcFiles files, List<Long> pids) {
    this.files = files;
    this.pids = List.copyOf(pids);
    this.before = seconds();
  }

  private double[] seconds() {
    return pids.stream().mapToDouble(pid -> files.threadSeconds(pid, THREADS)).toArray();
  }

  /** Seconds of processor time since it was asked last, of the process that needed most. */
  double lap() {
    double[] now = seconds();
    double most = 0;
    for (int i = 0; i < now.length; i++) {
      double used = now[i] - before[i];
      if (used > most) { // never so for NaN
        most = used;
      }
    }
    before = now;
    return most;
  }
}
