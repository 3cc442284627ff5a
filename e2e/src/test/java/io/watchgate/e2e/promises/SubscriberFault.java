package io.watchgate.e2e.promises;

/** What happens to the connections between subscribers and the gateway. */
enum SubscriberFault implements Fault {
  /** All are reset. */
  GONE(LinkFault.RESET),
  /** For a while there are none. */
  AWAY(LinkFault.CUT),
  /** For a while nothing comes through, and nobody says so. */
  VANISHED(LinkFault.SILENCE),
  /** For a while each piece comes late. */
  LATE(LinkFault.DELAY),
  /** For a while bytes come one by one. */
  SLOW(LinkFault.TRICKLE);

  private final LinkFault link;

  SubscriberFault(LinkFault link) {
    this.link = link;
  }

  LinkFault asLink() {
    return link;
  }

  @Override
  public Sign sign() {
    return Sign.NONE;
  }
}
