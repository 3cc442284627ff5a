package io.watchgate.admission;

/**
 * Limits of open streams of this gateway, in total and of one client address. The limit of one user
 * is in {@link io.watchgate.auth.AuthSettings.Quotas}.
 *
 * @param total in this process; about 2 KB of heap each if they share feeds and connections
 * @param perClient streams of one remote address, so that a client that opens too many leaves room
 *     for others
 */
public record GatewayStreamLimits(int total, int perClient) {
  /** Bytes of heap per stream, measured with shared feeds and connections. */
  public static final long STREAM_BYTES = 2_250;

  public static final int DEFAULT_TOTAL = 100_000;
  public static final int DEFAULT_PER_CLIENT = 20_000;

  public static final GatewayStreamLimits DEFAULTS =
      new GatewayStreamLimits(DEFAULT_TOTAL, DEFAULT_PER_CLIENT);
}
