package io.watchgate.e2e.promises;

/** Fault of the connections between the gateway and its apiserver. */
enum LinkFault implements Fault {
  /** All connections are reset; new ones succeed immediately. */
  RESET(Sign.TRANSPORT),
  /** All connections are reset, and new ones fail for a while. */
  CUT(Sign.TRANSPORT),
  /** No data passes for a while, without an error. */
  SILENCE(Sign.NONE),
  /** Each piece of data is delayed for a while. */
  DELAY(Sign.NONE),
  /** Bytes pass one by one for a while. */
  TRICKLE(Sign.NONE),
  /** Connections are cut while etcd is compacted, so that the gateway has to list again. */
  COMPACTION(Sign.RELIST);

  private final Sign sign;

  LinkFault(Sign sign) {
    this.sign = sign;
  }

  @Override
  public Sign sign() {
    return sign;
  }
}
