package io.watchgate.e2e.promises;

/** What happens to the connections between the gateway and its apiserver. */
enum LinkFault implements Fault {
  /** All are reset, new ones are made at once. */
  RESET(Sign.TRANSPORT),
  /** The same, and for a while there are no new ones. */
  CUT(Sign.TRANSPORT),
  /** For a while nothing comes through, and nobody says so. */
  SILENCE(Sign.NONE),
  /** For a while each piece comes late. */
  DELAY(Sign.NONE),
  /** For a while bytes come one by one. */
  TRICKLE(Sign.NONE),
  /** They are cut, and meanwhile etcd forgets what happened: the gateway has to list anew. */
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
