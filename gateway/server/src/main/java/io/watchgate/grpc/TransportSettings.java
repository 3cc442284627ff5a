package io.watchgate.grpc;

import java.time.Duration;

/**
 * Timeouts of the connections.
 *
 * @param permittedPing shortest time between two pings of a client; {@code watch.proto} requires 5
 *     s. Pings that leave a client 5 s apart may arrive closer together
 * @param keepaliveTime silence of a client after which the gateway sends a ping
 * @param keepaliveTimeout time that the gateway waits for the answer
 * @param handshake for TLS and the preface of HTTP/2; silent connections keep a descriptor and
 *     buffers
 */
public record TransportSettings(
    Duration permittedPing, Duration keepaliveTime, Duration keepaliveTimeout, Duration handshake) {
  public static final TransportSettings DEFAULTS =
      new TransportSettings(
          Duration.ofSeconds(4),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));
}
