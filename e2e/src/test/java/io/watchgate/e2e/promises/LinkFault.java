package io.watchgate.e2e.promises;

/** Fault of the connections between the gateway and its apiserver. */
enum LinkFault implements Fault {
  /** All connections are reset; new ones succeed immediately. */
  RESET(FaultMetric.TRANSPORT),
  /** All connections are reset, and new ones fail for a while. */
  CUT(FaultMetric.TRANSPORT),
  /** No data passes for a while, without an error. */
  SILENCE(FaultMetric.NONE),
  /** Each piece of data is delayed for a while. */
  DELAY(FaultMetric.NONE),
  /** Bytes pass one by one for a while. */
  TRICKLE(FaultMetric.NONE),
  /** Connections are cut while etcd is compacted, so that the gateway has to list again. */
  COMPACTION(FaultMetric.RELIST);

  private final FaultMetric sign;

  LinkFault(FaultMetric sign) {
    this.sign = sign;
  }

  @Override
  public FaultMetric sign() {
    return sign;
  }
}
