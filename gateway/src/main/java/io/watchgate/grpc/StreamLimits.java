package io.watchgate.grpc;

/**
 * How many streams may be open.
 *
 * @param total in this process; about 2 KiB of heap each where they share feeds and connections
 * @param perClient of one remote address, so that one who opens streams without end leaves room for
 *     others
 */
public record StreamLimits(int total, int perClient) {
  /** What a stream occupies on the heap, measured where streams share feeds and connections. */
  public static final long STREAM_BYTES = 2_250;

  public static final StreamLimits DEFAULTS = new StreamLimits(100_000, 20_000);
}
