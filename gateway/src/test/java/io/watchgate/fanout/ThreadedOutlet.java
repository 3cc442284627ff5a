package io.watchgate.fanout;

import io.watchgate.proto.v1.ListAndWatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A transport that is made ready by another thread than the one that sends, and keeps what it was
 * sent, as it was sent: what somebody changes afterwards shows.
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

  /** From now on takes so many more. The subscription has to be woken. */
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
      failed = true; // after the end, or from another thread than the owner's
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

  /** Whether anything happened that must not. */
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
