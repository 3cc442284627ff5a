package io.watchgate.grpc;

import io.watchgate.feed.Quota;
import io.watchgate.feed.Refusal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the requests hold that have begun on one event loop and are not complete: a client may send
 * half of one and leave it so. Beyond the bound those that began first are refused. Who sends a
 * whole request in one go is never among them, so that nobody is kept out by those who do not. Used
 * on its loop only, but for {@link #bytes}.
 */
final class IncompleteRequests {
  static final long MAX_BYTES = 16 << 20;

  private static final Duration RETRY = Duration.ofSeconds(1);

  /** In the order in which they began. */
  private final SequencedSet<IncomingRequest> begun = new LinkedHashSet<>();

  private final AtomicLong bytes = new AtomicLong();

  void begin(IncomingRequest request) {
    begun.add(request);
  }

  /**
   * Counts what one of them holds more than before, or less, and refuses others for it, or itself.
   */
  void charge(long more) {
    bytes.addAndGet(more);
    while (bytes() > MAX_BYTES && !begun.isEmpty()) {
      begun.getFirst().refuse(refusal());
    }
  }

  /** It is complete, or over. */
  void end(IncomingRequest request) {
    if (begun.remove(request)) {
      bytes.addAndGet(-request.bytes());
    }
  }

  /** From any thread. */
  long bytes() {
    return bytes.get();
  }

  private Refusal refusal() {
    return Refusal.quota(
        new Quota("requests:bytes", "bytes of incomplete requests", MAX_BYTES, bytes()),
        RETRY,
        "this request was not complete when others needed its room. Send requests whole, and end"
            + " sending after them.");
  }
}
