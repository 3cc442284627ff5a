package io.watchgate.e2e.promises;

/** Fault of the gateway's process. */
enum GatewayFault implements Fault {
  /** A replacement starts, and the process receives SIGTERM. */
  TERM(FaultMetric.NONE),
  /** The process is killed, and a replacement starts. */
  KILL(FaultMetric.NONE),
  /**
   * The process is killed and etcd is compacted in the meantime, so that the changes since then are
   * not available.
   */
  FORGET(FaultMetric.NONE),
  /** The process is suspended for some seconds. */
  STOP(FaultMetric.PAUSED);

  private final FaultMetric sign;

  GatewayFault(FaultMetric sign) {
    this.sign = sign;
  }

  @Override
  public boolean replacesProcess() {
    return this != STOP;
  }

  @Override
  public FaultMetric sign() {
    return sign;
  }
}
