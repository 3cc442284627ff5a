package io.watchgate.grpc;

/**
 * Limits of open streams in this process. The limit of each user is in {@code AuthSettings.Quotas}.
 *
 * @param total in this process; about 2 KiB of heap each if they share feeds and connections
 * @param perClient streams of one remote address, so that a client that opens too many leaves room
 *     for others
 */
public record StreamLimits(int total, int perClient) {
  /** Bytes of heap per stream, measured with shared feeds and connections. */
  public static final long STREAM_BYTES = 2_250;

  public static final int DEFAULT_TOTAL = 100_000;
  public static final int DEFAULT_PER_CLIENT = 20_000;

  public static final StreamLimits DEFAULTS = new StreamLimits(DEFAULT_TOTAL, DEFAULT_PER_CLIENT);
}
