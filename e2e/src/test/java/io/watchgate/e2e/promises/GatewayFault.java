package io.watchgate.e2e.promises;

/** What happens to the gateway's process. */
enum GatewayFault implements Fault {
  /** Another one begins in its place, and it is told to end. */
  TERM(Sign.NONE),
  /** It ends at once, and another one begins in its place. */
  KILL(Sign.NONE),
  /** The same, and etcd is compacted meanwhile: nobody can be told what happened since the end. */
  FORGET(Sign.NONE),
  /** It is stopped, and goes on some seconds later as if nothing had been. */
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
