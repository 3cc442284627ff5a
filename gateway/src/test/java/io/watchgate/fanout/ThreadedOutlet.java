package io.watchgate.fanout;

import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Transport that is made ready by another thread than the sender's, and that keeps the sent bytes
 * without a copy, so that later modifications are detected.
 */
final class ThreadedOutlet implements ResponseSink {
  static final int ALL = Integer.MAX_VALUE;

  private final List<ByteSlices> sent = new ArrayList<>();
  private final AtomicInteger credit;
  private @Nullable Thread sender;
  private @Nullable ApiError refusal;
  private boolean failed;

  ThreadedOutlet(int credit) {
    this.credit = new AtomicInteger(credit);
  }

  /** Sets the number of further responses to accept. The caller must wake the subscription. */
  void credit(int responses) {
    credit.set(responses);
  }

  boolean takesAll() {
    return credit.get() == ALL;
  }

  @Override
  public boolean isReady() {
    return credit.get() > 0;
  }

  @Override
  public synchronized void send(ByteSlices response) {
    Thread now = Thread.currentThread();
    if (ended() || (sender != null && !now.equals(sender))) {
      failed = true; // after the end, or from a thread other than the event loop
    }
    sender = now;
    credit.updateAndGet(before -> before == ALL ? ALL : Math.max(0, before - 1));
    sent.add(response);
  }

  @Override
  public synchronized void end(ApiError reason) {
    failed |= ended();
    refusal = reason;
  }

  @Override
  public synchronized void fail() {
    failed = true;
  }

  synchronized boolean ended() {
    return refusal != null || failed;
  }

  /** Returns whether a rule of the transport was broken. */
  synchronized boolean failed() {
    return failed;
  }

  synchronized @Nullable ApiError refusal() {
    return refusal;
  }

  synchronized int count() {
    return sent.size();
  }

  synchronized ListAndWatchResponse response(int number) {
    return RecordingOutlet.parse(sent.get(number));
  }
}
