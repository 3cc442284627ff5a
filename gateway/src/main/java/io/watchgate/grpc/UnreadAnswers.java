package io.watchgate.grpc;

import io.watchgate.feed.Quota;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.RefusedException;
import java.time.Duration;

/**
 * What answers hold that were given and not read yet: a page of a list may have 64 MiB, and who
 * asks for a thousand of them need not read one. Beyond the bound further ones are refused, and may
 * be asked for again. Thread-safe.
 */
final class UnreadAnswers {
  /** Of the heap: the state has half of it at most. */
  private static final int PART_OF_HEAP = 8;

  private final long limit;
  private long bytes;

  UnreadAnswers() {
    this(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  /**
   * @param limit in bytes; an answer of more is alone
   */
  UnreadAnswers(long limit) {
    this.limit = limit;
  }

  /** One call's. */
  final class Share {
    private long held;
    private boolean over;

    /**
     * The call is to be answered.
     *
     * @throws RefusedException QUOTA; then nothing is held
     */
    void hold(long size) throws RefusedException {
      synchronized (UnreadAnswers.this) {
        if (over) {
          return; // nobody is there to read it, so it is not kept
        }
        if (bytes > 0 && bytes + size > limit) {
          throw new RefusedException(
              Refusal.quota(
                  new Quota("answers", "bytes of answers that are not read yet", limit, bytes),
                  Duration.ofSeconds(1),
                  "too much of other lists waits to be read. Try again, or ask for smaller"
                      + " pages."));
        }
        held = size;
        bytes += size;
      }
    }

    /** It was read, or nobody will. A second call does nothing. */
    void release() {
      synchronized (UnreadAnswers.this) {
        over = true;
        bytes -= held;
        held = 0;
      }
    }
  }

  Share share() {
    return new Share();
  }

  synchronized long bytes() {
    return bytes;
  }

  long limit() {
    return limit;
  }
}
