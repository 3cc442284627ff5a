package io.watchgate.e2e.promises;

/** Fault of a gateway's replicas, applied to one after the other while the others serve. */
enum ReplicaFault implements Fault {
  /** A replacement starts and becomes ready, then the old process is stopped: a rolling update. */
  REPLACE(FaultMetric.NONE),
  /** The process is killed, and a replacement starts some time later. */
  KILL(FaultMetric.NONE),
  /** The process is suspended for longer than any timeout, and then resumes. */
  FREEZE(FaultMetric.PAUSED),
  /**
   * The process receives nothing from the apiserver for some seconds, so it lags behind the others.
   */
  LAG(FaultMetric.NONE);

  private final FaultMetric sign;

  ReplicaFault(FaultMetric sign) {
    this.sign = sign;
  }

  @Override
  public FaultMetric sign() {
    return sign;
  }
}
