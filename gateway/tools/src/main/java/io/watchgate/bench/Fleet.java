package io.watchgate.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.function.IntUnaryOperator;

/** All readers of a run. Confined to the thread that executes the run. */
sealed interface Fleet permits GrpcFleet, DirectFleet {
  /** Maximum duration of each stage in which streams are opened. */
  Duration OPENING_TIMEOUT = Duration.ofMinutes(2);

  /**
   * Opens all streams and waits until each is synced.
   *
   * @throws IOException with a one-line message, if a stream cannot be opened or is not synced in
   *     time
   */
  void open() throws IOException, InterruptedException;

  /** Closes the streams that return later. */
  void leave();

  /**
   * Reopens the streams that {@link #leave} closed.
   *
   * @return seconds until each stream has all changes that were written before; NaN if there are
   *     none
   * @throws IOException if that takes longer than {@link #OPENING_TIMEOUT}
   */
  double reopen(IntUnaryOperator lastRound) throws IOException, InterruptedException;

  /**
   * Opens the late streams, and closes them once each is synced.
   *
   * @return seconds until all are synced; NaN if there are none
   * @throws IOException if that takes longer than {@link #OPENING_TIMEOUT}
   */
  double joinAndLeave() throws IOException, InterruptedException;

  /**
   * Opens the late streams, and keeps them open.
   *
   * @return seconds until all are synced; NaN if there are none
   * @throws IOException if that takes longer than {@link #OPENING_TIMEOUT}
   */
  double join() throws IOException, InterruptedException;

  /** Returns the counters of the readers that do not stall. */
  DeliveryCounts counts();

  /** Returns a text on the last stream that ended by itself; empty if none did. */
  String lastEnd();

  /**
   * Returns the number of times that reconnecting readers were synced in the measurement window.
   */
  long reconnects();

  /** Returns whether all readers that do not stall have received everything. */
  boolean isComplete(IntUnaryOperator lastRound);

  /** Closes all streams and waits for the threads that read them. */
  void close() throws InterruptedException;

  /** Returns the losses of all readers that do not stall; only after {@link #close}. */
  LossReport losses(IntUnaryOperator lastRound);

  /**
   * Returns the latencies of all deliveries in the measurement window, without streams that joined
   * in it; only after {@link #close}.
   */
  LatencyHistogram latencies();
}
