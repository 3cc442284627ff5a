package io.watchgate.client;

/** Network address of one replica of the gateway. */
record HostPort(String host, int port) {
  HostPort {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("the host is empty");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
    }
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
