package io.watchgate.grpc;

import java.time.Duration;

/**
 * Timeouts of the connections, and the other limits of the transport. Values without an option are
 * constants.
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
          /* permittedPing= */ Duration.ofSeconds(4),
          /* keepaliveTime= */ Duration.ofSeconds(30),
          /* keepaliveTimeout= */ Duration.ofSeconds(10),
          /* handshake= */ Duration.ofSeconds(10));

  /** Memory of the incomplete requests of one event loop, in bytes. */
  static final long MAX_INCOMPLETE_BYTES = 16 << 20;

  /**
   * Bytes of a request that the transport accepts, so that a request above {@link
   * RequestLimits#MAX_REQUEST_BYTES} can be refused with a reason. It is chosen to fit into {@link
   * #MAX_INCOMPLETE_BYTES}. A still larger request is refused by the transport, without a reason.
   */
  static final int MAX_INBOUND_BYTES = 5 << 18;

  /**
   * Size of a call's metadata, as HTTP/2 counts it, that the transport accepts. A call with more
   * than {@link RequestLimits#MAX_METADATA_BYTES} is then refused with a reason. Above this size
   * the transport refuses it without a reason. Above this size and a quarter it closes the
   * connection.
   */
  static final int MAX_INBOUND_METADATA_BYTES = 1 << 20;

  /**
   * Streams of one connection that may end without a response and soon after they began, within
   * {@link #RAPID_RESET_WINDOW}. Above it the connection is closed.
   */
  static final int MAX_RAPID_RESETS = 200;

  static final Duration RAPID_RESET_WINDOW = Duration.ofSeconds(10);

  /**
   * Bytes that may wait for the socket of a connection beyond the write watermark; above it nothing
   * more is read from the connection. Flow control of HTTP/2 limits data only; this limits the
   * rest, such as the statuses of refused calls.
   */
  static final int MAX_UNSENT_BYTES = 1 << 20;

  /** Longest time that streams may take to end at shutdown, unless {@code --drain} changes it. */
  public static final int DEFAULT_DRAIN_SECONDS = 10;

  /**
   * Upper bound of closing. Closed connections and interrupted calls end at once; this is for an
   * overloaded machine.
   */
  static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Shortest time between two ends of all TLS sessions: one client that is refused for its
   * certificate again and again must not cost the others their sessions.
   */
  static final Duration TLS_SESSIONS_END_INTERVAL = Duration.ofMinutes(1);

  /** Time in which a TLS session may be resumed, even if the certificate has expired meanwhile. */
  static final Duration TLS_SESSION_TIMEOUT = Duration.ofMinutes(5);
}
