package io.watchgate.e2e.promises;

/** Fault of the apiserver's process, including its etcd. */
enum ApiserverFault implements Fault {
  /** The process is suspended for some seconds: connections are accepted and receive nothing. */
  HANG;

  @Override
  public FaultMetric sign() {
    return FaultMetric.NONE;
  }
}
