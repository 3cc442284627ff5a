package io.watchgate.bench;

import java.io.IOException;
import java.time.Duration;

/**
 * What it costs that many join at once. One such moment is over in seconds, and differs by half
 * from the next, so it is measured several times; and streams that live cost something meanwhile,
 * more the longer the clients take, so that is taken off.
 *
 * @param seconds until each is synced, on average; NaN if nobody joins
 * @param cpuSeconds of the server, for those who join alone; NaN if it is not known
 */
record JoinCost(double seconds, double cpuSeconds) {
  private static final int TIMES = 3;

  /**
   * Has them join; the last time they stay.
   *
   * @param liveCores processors that the server uses for those who are there already
   * @throws IOException if it takes longer than {@code atMost} once
   */
  static JoinCost measure(Fleet fleet, ServerProbe probe, double liveCores, Duration atMost)
      throws IOException, InterruptedException {
    double seconds = 0;
    double cpuSeconds = 0;
    for (int time = 1; time <= TIMES; time++) {
      double before = probe.use().cpuSeconds();
      double took = time < TIMES ? fleet.joinAndLeave(atMost) : fleet.join(atMost);
      cpuSeconds += probe.use().cpuSeconds() - before - liveCores * took;
      seconds += took;
    }
    return new JoinCost(seconds / TIMES, cpuSeconds / TIMES);
  }
}
