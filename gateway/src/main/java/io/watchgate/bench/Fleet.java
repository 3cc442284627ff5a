package io.watchgate.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.function.IntUnaryOperator;

/** All readers of a run. Used by the one thread that makes the run. */
sealed interface Fleet permits GrpcFleet, DirectFleet {
  /**
   * Opens all streams and waits until each is synced.
   *
   * @throws IOException if one cannot be opened or is not synced in time, in one line
   */
  void open(Duration atMost) throws IOException, InterruptedException;

  /** Those leave who come back later. */
  void leave();

  /**
   * Those who left come back.
   *
   * @return seconds until each has what was written before; NaN if nobody left
   * @throws IOException if that takes longer than {@code atMost}
   */
  double comeBack(IntUnaryOperator lastRound, Duration atMost)
      throws IOException, InterruptedException;

  /**
   * Those join who were not there before, and leave once each is synced.
   *
   * @return seconds until then; NaN if there are none
   * @throws IOException if that takes longer than {@code atMost}
   */
  double joinAndLeave(Duration atMost) throws IOException, InterruptedException;

  /**
   * The same, but they stay.
   *
   * @return seconds until each is synced; NaN if there are none
   * @throws IOException if that takes longer than {@code atMost}
   */
  double join(Duration atMost) throws IOException, InterruptedException;

  /** What has arrived at readers that do not stall. */
  DeliveryCounts traffic();

  /** Streams that ended by themselves, of readers that do not stall. */
  long ended();

  /** What the last of them ended with, for a person; empty if none has. */
  String lastEnd();

  /** How often a reader that reconnects was synced anew, in the span that is measured. */
  long reconnects();

  /** Whether all readers that do not stall have everything. */
  boolean isComplete(IntUnaryOperator lastRound);

  /** Ends all streams and waits for the threads that read them. */
  void end() throws InterruptedException;

  /** Of all readers that do not stall; once ended. */
  LossReport losses(IntUnaryOperator lastRound);

  /** Of all deliveries in the span, but to those who joined in it; once ended. */
  LatencyHistogram latencies();
}
