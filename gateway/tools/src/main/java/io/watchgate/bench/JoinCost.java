package io.watchgate.bench;

import java.io.IOException;

/**
 * Cost of many streams that join at once. One such join takes seconds and varies by half, so the
 * cost is measured several times. Meanwhile the live streams have a cost, too, which grows with the
 * duration of the join, so it is subtracted.
 *
 * @param seconds average time until all are synced; NaN if no stream joins
 * @param cpuSeconds server CPU time for the joining streams alone; NaN if unknown
 */
record JoinCost(double seconds, double cpuSeconds) {
  private static final int TIMES = 3;

  /**
   * Lets the streams join several times and keeps the last of them open.
   *
   * @param liveCores processors that the server uses for the streams that are already open
   * @throws IOException if one of the joins takes longer than {@link Fleet#OPENING_TIMEOUT}
   */
  static JoinCost measure(Fleet fleet, ServerProbe probe, double liveCores)
      throws IOException, InterruptedException {
    double seconds = 0;
    double cpuSeconds = 0;
    for (int time = 1; time <= TIMES; time++) {
      double before = probe.sample().cpuSeconds();
      double took = time < TIMES ? fleet.joinAndLeave() : fleet.join();
      cpuSeconds += probe.sample().cpuSeconds() - before - liveCores * took;
      seconds += took;
    }
    return new JoinCost(seconds / TIMES, cpuSeconds / TIMES);
  }
}
