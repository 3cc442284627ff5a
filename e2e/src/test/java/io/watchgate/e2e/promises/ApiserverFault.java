package io.watchgate.e2e.promises;

/** What happens to the apiserver's process, its etcd included. */
enum ApiserverFault implements Fault {
  /** It is stopped, and goes on some seconds later: connections are taken, and nothing comes. */
  HANG;

  @Override
  public Sign sign() {
    return Sign.NONE;
  }
}
