package io.watchgate.admission;

import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limit on the bytes of unary responses that clients have not read yet ({@link
 * #UNREAD_RESPONSES_HEAP_DIVISOR}). A page of a list may have 64 MiB, and a client may request a
 * thousand pages and read none. Above the limit further responses are refused, and may be retried.
 * As many bytes again may be reserved for a short time: while a response is built, which takes
 * milliseconds, or for the first seconds of sending an answer over the Kubernetes API. Above that
 * limit further ones wait. Thread-safe.
 */
public final class PendingResponseBytes {
  /** Divisor of the heap for the bytes of unary responses that clients have not read yet. */
  static final int UNREAD_RESPONSES_HEAP_DIVISOR = 16;

  /** Quarters of that part which the calls from one address may use. */
  static final int UNREAD_QUARTERS_OF_CLIENT = 3;

  /** Time that a unary call waits for room to build its response. */
  static final Duration RESPONSE_ROOM_TIMEOUT = Duration.ofSeconds(5);

  private final long limit;

  /** In KiB, for responses that are being built. */
  private final Semaphore reservable;

  private final int maxKib;
  private long bytes;

  /** Counted bytes of each client, so that one which does not read leaves room for others. */
  private final Map<Object, Long> bytesOfClients = new HashMap<>();

  /** Creates a limit for a heap of {@code heap} bytes. */
  public static PendingResponseBytes ofHeap(long heap) {
    return new PendingResponseBytes(heap / UNREAD_RESPONSES_HEAP_DIVISOR);
  }

  /**
   * @param limit in bytes; a larger response is allowed only alone
   */
  public PendingResponseBytes(long limit) {
    this.limit = limit;
    this.maxKib = Math.clamp(limit >> 10, 1, Integer.MAX_VALUE);
    this.reservable = new Semaphore(maxKib, true);
  }

  /** Bytes of one call. */
  public final class Share {
    private final Object client;
    private long charged;
    private int reservedKib;
    private boolean ended;

    private Share(Object client) {
      this.client = client;
    }

    /** Returns the largest size in bytes that a response should have. */
    public long maxBytes() {
      return limit;
    }

    /**
     * Reserves room for a response of at most {@code size} bytes, and waits for it. On the call's
     * thread.
     *
     * @throws ApiException QUOTA, if there is no room in time
     */
    public void reserve(long size) throws ApiException, InterruptedException {
      reserve(size, RESPONSE_ROOM_TIMEOUT);
    }

    /** Reserves room like {@link #reserve(long)}, with another limit of the wait. */
    public void reserve(long size, Duration atMost) throws ApiException, InterruptedException {
      int kib = Math.clamp(size >> 10, 1, maxKib);
      if (!reservable.tryAcquire(kib, atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ApiException(LimitErrors.responsesInProgress(limit));
      }
      reservedKib = kib;
    }

    /** Ends the reservation, after the response was built or has failed. On the call's thread. */
    public void endReservation() {
      reservable.release(reservedKib);
      reservedKib = 0;
    }

    /**
     * Counts the bytes of the response that is to be sent.
     *
     * @throws ApiException QUOTA; then nothing is counted
     */
    public void charge(long size) throws ApiException {
      synchronized (PendingResponseBytes.this) {
        if (ended) {
          return; // the client is gone, so the response is not kept
        }
        if (bytes > 0 && bytes + size > limit) {
          throw new ApiException(LimitErrors.unreadResponses(limit, bytes));
        }
        long own = bytesOfClients.getOrDefault(client, 0L);
        long ownLimit = limit / 4 * UNREAD_QUARTERS_OF_CLIENT;
        if (own > 0 && own + size > ownLimit) {
          throw new ApiException(LimitErrors.unreadResponsesOfClient(ownLimit, own));
        }
        charged = size;
        bytes += size;
        bytesOfClients.put(client, own + size);
      }
    }

    /**
     * Releases the bytes after the response was read or the call has ended. A second call does
     * nothing.
     */
    public void release() {
      synchronized (PendingResponseBytes.this) {
        ended = true;
        bytes -= charged;
        if (charged > 0) {
          long released = charged;
          bytesOfClients.computeIfPresent(
              client, (of, own) -> own > released ? own - released : null);
        }
        charged = 0;
      }
    }
  }

  /**
   * Returns the bytes of a new call, none yet.
   *
   * @param client {@link ClientAddress} of the caller
   */
  public Share share(Object client) {
    return new Share(client);
  }

  /** Returns a share of the client at this end of a connection; its port does not matter. */
  public Share shareOf(@Nullable SocketAddress remote) {
    return share(ClientAddress.of(remote));
  }

  /** Returns the bytes of responses that are not read yet. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Returns the bytes that are reserved for responses that are being built or sent. */
  public long reservedBytes() {
    return (long) (maxKib - reservable.availablePermits()) << 10;
  }

  /** Returns the maximum of {@link #bytes}, and of {@link #reservedBytes}. */
  public long limit() {
    return limit;
  }
}
