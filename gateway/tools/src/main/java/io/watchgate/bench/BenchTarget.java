package io.watchgate.bench;

import io.grpc.ChannelCredentials;
import java.util.Optional;

/**
 * Address of the gateway to measure.
 *
 * @param serverName name that the server's certificate must have; empty: the host
 */
public record BenchTarget(
    String host, int port, ChannelCredentials credentials, Optional<String> serverName) {
  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
