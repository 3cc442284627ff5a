package io.watchgate.bench;

import io.grpc.ChannelCredentials;

/** The gateway to measure. */
public record Target(String host, int port, ChannelCredentials credentials) {
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
