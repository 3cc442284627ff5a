package io.watchgate.bench;

import java.util.List;

/**
 * Sample of all counters at one moment.
 *
 * @param nanos time on the run's clock
 * @param ownSeconds CPU time of this process
 * @param readSeconds part of {@code ownSeconds} for reading
 * @param writeSeconds part of {@code ownSeconds} for writing
 * @param othersSeconds CPU time of further processes that belong to the run, such as the apiserver
 * @param machineSeconds CPU time of the machine
 */
record UsageSample(
    long nanos,
    long written,
    DeliveryCounts counts,
    ServerUsage server,
    double ownSeconds,
    double readSeconds,
    double writeSeconds,
    double othersSeconds,
    double machineSeconds) {

  static double othersSeconds(ProcFiles files, List<Long> pids) {
    return pids.stream().mapToDouble(files::processSeconds).sum();
  }
}
