package io.watchgate.server;

import io.watchgate.admission.PendingResponseBytes;
import io.watchgate.error.ApiException;
import io.watchgate.http.AnswerAdmission;
import java.net.SocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Memory of lists and gets over the Kubernetes API while they are sent, in two equal parts. An
 * answer begins in the first part; if that is full, the answer waits for room. If its client has
 * not read the answer after {@link #QUICK}, the answer moves to the second part, of which each
 * address has a share; without room there, the answer ends. So slow readers neither delay others
 * nor take all of the heap. Thread-safe.
 */
final class AnswerMemory implements AnswerAdmission {
  /** Divisor of the heap: each of the two parts is a thirty-second of it. */
  static final int HEAP_DIVISOR = 32;

  /**
   * Time that an answer waits for room before its request is relayed: long enough that many clients
   * that reconnect at once are still answered from the cache.
   */
  static final Duration WAIT = Duration.ofSeconds(30);

  /** Time in which a client should read an answer, as for {@code SnapshotSettings}. */
  static final Duration QUICK = Duration.ofSeconds(10);

  private final PendingResponseBytes bytes;
  private final Duration wait;
  private final Duration quick;

  /** Creates the memory of a gateway with a heap of {@code heap} bytes. */
  static AnswerMemory ofHeap(long heap) {
    return new AnswerMemory(heap / HEAP_DIVISOR, WAIT, QUICK);
  }

  AnswerMemory(long limit, Duration wait, Duration quick) {
    this.bytes = new PendingResponseBytes(limit);
    this.wait = wait;
    this.quick = quick;
  }

  @Override
  public Ticket admit(@Nullable SocketAddress client, long size)
      throws ApiException, InterruptedException {
    PendingResponseBytes.Share share = bytes.shareOf(client);
    share.reserve(size, wait);
    return new AnswerTicket(share, size, quick);
  }

  /** Returns the bytes of answers that are being sent. */
  long used() {
    return bytes.reservedBytes() + bytes.bytes();
  }

  /** Returns the maximum of {@link #used}. */
  long limit() {
    return 2 * bytes.limit();
  }

  private static final class AnswerTicket implements Ticket {
    private final PendingResponseBytes.Share share;
    private final long size;
    private final long slowAt;
    private State state = State.QUICK;

    private enum State {
      QUICK,
      SLOW,
      REFUSED,
      CLOSED
    }

    AnswerTicket(PendingResponseBytes.Share share, long size, Duration quick) {
      this.share = share;
      this.size = size;
      this.slowAt = System.nanoTime() + quick.toNanos();
    }

    @Override
    public synchronized boolean mayContinue() {
      if (state == State.QUICK && System.nanoTime() - slowAt >= 0) {
        try {
          share.charge(size);
          state = State.SLOW;
        } catch (ApiException e) {
          state = State.REFUSED;
        }
        share.endReservation();
      }
      return state == State.QUICK || state == State.SLOW;
    }

    @Override
    public synchronized void close() {
      if (state == State.QUICK) {
        share.endReservation();
      }
      state = State.CLOSED;
      share.release();
    }
  }
}
