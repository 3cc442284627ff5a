package io.watchgate.grpc;

import io.watchgate.fanout.ApiError;
import io.watchgate.fanout.ApiException;
import io.watchgate.fanout.QuotaViolation;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bytes of answers that were given and not read yet: a page of a list may have 64 MiB, and a client
 * that asks for a thousand of them need not read one. Above the bound further ones are refused, and
 * may be asked for again. As many bytes more may be of answers that are being made: that takes
 * milliseconds, so further ones wait. Thread-safe.
 */
final class PendingResponseBytes {
  /** Of the heap. */
  private static final int PART_OF_HEAP = 16;

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final long limit;

  /** In KiB, of answers that are being made. */
  private final Semaphore room;

  private final int mostKib;
  private long bytes;

  /** With as much as a heap of so many bytes has for them. */
  static PendingResponseBytes ofHeap(long heap) {
    return new PendingResponseBytes(heap / PART_OF_HEAP);
  }

  /**
   * @param limit in bytes; an answer of more is alone
   */
  PendingResponseBytes(long limit) {
    this.limit = limit;
    this.mostKib = Math.clamp(limit >> 10, 1, Integer.MAX_VALUE);
    this.room = new Semaphore(mostKib, true);
  }

  /** One call's. */
  final class Share {
    private long held;
    private int making;
    private boolean over;

    /** The most bytes that an answer should have. */
    long most() {
      return limit;
    }

    /**
     * An answer of at most so many bytes is about to be made; waits for room. On the call's thread.
     *
     * @throws ApiException QUOTA, if others take too long
     */
    void make(long size) throws ApiException, InterruptedException {
      int kib = Math.clamp(size >> 10, 1, mostKib);
      if (!room.tryAcquire(kib, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw tooMuch(limit);
      }
      making = kib;
    }

    /** It was made, or will not be. On the call's thread. */
    void isMade() {
      room.release(making);
      making = 0;
    }

    /**
     * The call is to be answered.
     *
     * @throws ApiException QUOTA; then nothing is held
     */
    void hold(long size) throws ApiException {
      synchronized (PendingResponseBytes.this) {
        if (over) {
          return; // the client is gone, so it is not kept
        }
        if (bytes > 0 && bytes + size > limit) {
          throw tooMuch(bytes);
        }
        held = size;
        bytes += size;
      }
    }

    /** It was read, or nobody will. A second call does nothing. */
    void release() {
      synchronized (PendingResponseBytes.this) {
        over = true;
        bytes -= held;
        held = 0;
      }
    }
  }

  private ApiException tooMuch(long used) {
    return new ApiException(
        ApiError.quota(
            new QuotaViolation("answers", "bytes of answers that are not read yet", limit, used),
            Duration.ofSeconds(1),
            "too much of other lists waits to be read. Try again, or ask for smaller pages."));
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
