package io.watchgate.e2e.promises;

/** Fault of the gateway's process. */
enum GatewayFault implements Fault {
  /** A replacement starts, and the process receives SIGTERM. */
  TERM(Sign.NONE),
  /** The process is killed, and a replacement starts. */
  KILL(Sign.NONE),
  /**
   * The process is killed and etcd is compacted in the meantime, so that the changes since then are
   * not available.
   */
  FORGET(Sign.NONE),
  /** The process is suspended for some seconds. */
  STOP(Sign.PAUSED);

  private final Sign sign;

  GatewayFault(Sign sign) {
    this.sign = sign;
  }

  @Override
  public Sign sign() {
    return sign;
  }
}
