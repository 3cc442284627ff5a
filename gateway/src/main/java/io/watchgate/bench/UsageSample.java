package io.watchgate.bench;

import java.util.List;

/**
 * Everything that counts up, at one moment.
 *
 * @param nanos of the run's clock
 * @param ownSeconds of this process
 * @param readSeconds of it for reading
 * @param writeSeconds of it for writing
 * @param othersSeconds of further processes that belong to the run, such as the apiserver
 * @param machineSeconds of the machine
 */
record UsageSample(
    long nanos,
    long written,
    DeliveryCounts traffic,
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
