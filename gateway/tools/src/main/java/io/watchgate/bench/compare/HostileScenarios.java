package io.watchgate.bench.compare;

import java.util.List;

/** Scenarios with slow or hostile readers, which measure the effect on the other readers. */
final class HostileScenarios {
  private static final String RECEIVE = " --receive-kib 512";

  private HostileScenarios() {}

  /**
   * The receive window is fixed. gRPC's own window grows to 8 MiB, so that these streams would
   * receive all changes of the run, and each received piece keeps a full buffer of the client. The
   * client would then need more CPU to read the other streams, and their latency would rise; see
   * docs/explanation/measurements.md.
   */
  static Scenario noDemand() {
    return slow("slow-no-demand", "100 of 1,000 ask for no more", "no-demand", 10, RECEIVE);
  }

  static Scenario unread() {
    return slow("slow-unread", "100 of 1,000 leave their sockets unread", "unread", 9, "");
  }

  static Scenario resetting() {
    return flood(
        "resetting", "10 of 910 open streams and reset them without end, 300 at a time", "reset");
  }

  static Scenario scanning() {
    return flood("scanning", "10 of 910 scan without end, 100 calls at a time", "scan");
  }

  /**
   * @param connections connections of the readers in the contender without stalled readers; stalled
   *     readers with unread sockets have one connection to themselves
   */
  private static Scenario slow(
      String name, String text, String manner, int connections, String receive) {
    String load = Scenarios.PACED + receive;
    return new Scenario(
        name,
        text + ", against 900 without them",
        List.of(
            Contender.gateway(Scenarios.THOUSAND + load + " --stall 10 --stall-by " + manner)
                .withName("slow"),
            Contender.gateway("--streams 900 --connections " + connections + load)
                .withName("without")),
        List.of(
            Goal.atMost(1.1, Metric.P50, "without"),
            Goal.atMost(1.25, Metric.P99, "without"),
            Goal.atMost(1.1, Metric.CPU, "without"),
            Goal.shown(Metric.RESIDENT, "without")));
  }

  /**
   * New connections and snapshots cost CPU time that must not count as that of the other readers.
   * So the compared cost is that of 875 further readers, with and without readers that reconnect.
   * The baseline indicates what remains of a machine on which 100 connections per second are made,
   * for any server.
   */
  static Scenario reconnect() {
    String reconnect = " --stall-by reconnect";
    String paced = " --connections 10 --rate 100";
    String all = "--streams 1000 --stall 10" + reconnect + paced;
    return new Scenario(
        "slow-reconnect",
        "100 of 1,000 reconnect without end, against 900 without them",
        List.of(
            Contender.gateway(all).withName("slow").subtracting("slow and 25"),
            Contender.gateway("--streams 900" + paced).withName("without").subtracting("25"),
            Contender.gateway("--streams 125 --stall 80" + reconnect + paced)
                .withName("slow and 25"),
            Contender.gateway("--streams 25" + paced).withName("25"),
            Contender.baseline(all).inThreePairs()),
        List.of(
            Goal.atMost(1.1, Metric.P50, "without"),
            Goal.atMost(1.25, Metric.P99, "without"),
            Goal.atMost(1.1, Metric.CPU, "without"),
            Goal.shown(Metric.P50, "baseline"),
            Goal.shown(Metric.P99, "baseline"),
            Goal.shown(Metric.RESIDENT, "without")));
  }

  /**
   * The readers that never read have 100 connections of their own, and most of them are never
   * closed for not reading.
   */
  static Scenario neverReading() {
    return new Scenario(
        "never-reading",
        "10,000 of 11,000 never read, against 1,000 without them",
        List.of(
            Contender.gateway(
                    "--streams 11000 --connections 110 --rate 50 --stall 90.91 --stall-by unread")
                .withName("hostile"),
            Contender.gateway("--streams 1000 --connections 10 --rate 50").withName("without")),
        List.of(
            Goal.atMost(1.1, Metric.P50, "without"),
            Goal.atMost(1.25, Metric.P99, "without"),
            Goal.shown(Metric.CPU, "without"),
            Goal.shown(Metric.RESIDENT, "without")));
  }

  /**
   * The hostile clients use the CPU of the same machine. The latency of the baseline under the same
   * load indicates how much of the effect on other readers comes from that.
   */
  private static Scenario flood(String name, String text, String manner) {
    String paced = " --connections 9 --rate 100";
    String all = "--streams 910 --stall 1.1 --stall-by " + manner + paced;
    return new Scenario(
        name,
        text + ", against 900 without them",
        List.of(
            Contender.gateway(all).withName("hostile"),
            Contender.gateway("--streams 900" + paced).withName("without"),
            Contender.baseline(all).inThreePairs()),
        List.of(
            Goal.atMost(1.1, Metric.P50, "without"),
            Goal.atMost(1.25, Metric.P99, "without"),
            Goal.shown(Metric.P50, "baseline"),
            Goal.shown(Metric.P99, "baseline"),
            Goal.shown(Metric.CPU, "without"),
            Goal.shown(Metric.RESIDENT, "without")));
  }
}
