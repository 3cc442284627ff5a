package io.watchgate.e2e.promises;

/** What happens to replicas of a gateway, to one after the other, while the others serve. */
enum ReplicaFault implements Fault {
  /** Another one begins in its place and is ready, then it is told to end: a rolling update. */
  REPLACE(Sign.NONE),
  /** It ends at once, and some time later another one begins in its place. */
  KILL(Sign.NONE),
  /** It is stopped for so long that nobody can wait, and goes on as if nothing had been. */
  FREEZE(Sign.PAUSED),
  /** It hears nothing of the apiserver for some seconds, and so is behind the others. */
  LAG(Sign.NONE);

  private final Sign sign;

  ReplicaFault(Sign sign) {
    this.sign = sign;
  }

  @Override
  public Sign sign() {
    return sign;
  }
}
