package io.watchgate.bench;

import java.util.List;

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
  record OwnSeconds(double total, double reading, double writing) {}

  static double othersSeconds(ProcFiles files, List<Long> pids) {
    return pids.stream().mapToDouble(files::processSeconds).sum();
  }
}
