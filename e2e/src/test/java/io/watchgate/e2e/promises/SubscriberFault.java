package io.watchgate.e2e.promises;

/** Fault of the connections between subscribers and the gateway. */
enum SubscriberFault implements Fault {
  /** All connections are reset. */
  GONE(LinkFault.RESET),
  /** There are no connections for a while. */
  AWAY(LinkFault.CUT),
  /** No data passes for a while, without an error. */
  VANISHED(LinkFault.SILENCE),
  /** Each piece of data is delayed for a while. */
  LATE(LinkFault.DELAY),
  /** Bytes pass one by one for a while. */
  SLOW(LinkFault.TRICKLE);

  private final LinkFault link;

  SubscriberFault(LinkFault link) {
    this.link = link;
  }

  LinkFault asLink() {
    return link;
  }

  @Override
  public FaultMetric sign() {
    return FaultMetric.NONE;
  }
}
