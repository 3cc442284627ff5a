package io.watchgate.client;

import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watch that a program reads update by update, over as many gRPC streams as needed. It requests
 * from the gateway only as many updates as the program reads, and blocks no thread but the reader.
 *
 * <pre>{@code
 * try (WatchStream stream = client.open(request)) {
 *   for (WatchUpdate update : stream) {
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>One thread may read at a time. Any thread may call {@link #close}, which ends a blocked read
 * of another thread. Closing the client does so as well.
 */
public final class WatchStream implements Iterable<WatchUpdate>, AutoCloseable {
  private final Object lock = new Object();
  private @Nullable WatchCall call;
  private @Nullable WatchUpdate arrived;
  private boolean isRequested;
  private boolean isClosed;
  private @Nullable WatchError error;
  private ByteString token;

  private WatchStream(ByteString token) {
    this.token = token;
  }

  static WatchStream open(WatchClient client, ListAndWatchRequest request) {
    WatchStream stream = new WatchStream(request.getResumeToken());
    WatchCall call = client.watchOnDemand(request, stream.new Arrivals());
    synchronized (stream.lock) {
      stream.call = call;
    }
    return stream;
  }

  private final class Arrivals implements WatchListener {
    @Override
    public void onUpdate(WatchUpdate update) {
      synchronized (lock) {
        arrived = update;
        lock.notifyAll();
      }
    }

    /** Marks the end. If it has an error, {@link WatchUpdate.Ended} was delivered before. */
    @Override
    public void onClosed() {
      synchronized (lock) {
        isClosed = isClosed || (error == null && !(arrived instanceof WatchUpdate.Ended));
        lock.notifyAll();
      }
    }
  }

  /**
   * Waits for the next update and returns it. {@link WatchUpdate.Interrupted} and the updates after
   * it are returned as well: the watch continues by itself.
   *
   * @throws WatchEndedException if the watch cannot continue; also thrown by each later call
   * @throws CancellationException if the stream was closed
   */
  public WatchUpdate next() throws InterruptedException {
    return next(Duration.ofNanos(Long.MAX_VALUE))
        .orElseThrow(() -> new IllegalStateException("three centuries went by"));
  }

  /**
   * Returns the next update if it arrives in time. A later call returns an update that arrives
   * later.
   *
   * @return empty if no update arrived
   * @throws WatchEndedException if the watch cannot continue; also thrown by each later call
   * @throws CancellationException if the stream was closed
   */
  public Optional<WatchUpdate> next(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    synchronized (lock) {
      requestNext();
      while (arrived == null && !isClosed) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return Optional.empty();
        }
        TimeUnit.NANOSECONDS.timedWait(lock, Math.max(left, 1_000_000));
      }
      if (isClosed) {
        throw new CancellationException("the stream was closed");
      }
      return Optional.of(take());
    }
  }

  private void requestNext() {
    if (error != null) {
      throw new WatchEndedException(error);
    }
    if (!isRequested && !isClosed && call != null) {
      isRequested = true;
      call.request(1);
    }
  }

  private WatchUpdate take() {
    WatchUpdate update = arrived;
    if (update == null) {
      throw new NoSuchElementException();
    }
    arrived = null;
    isRequested = false;
    if (update instanceof WatchUpdate.Ended ended) {
      error = ended.error();
      throw new WatchEndedException(ended.error());
    }
    token = tokenAfter(update, token);
    return update;
  }

  private static ByteString tokenAfter(WatchUpdate update, ByteString before) {
    if (update instanceof WatchUpdate.Changes changes) {
      return changes.position().token();
    } else if (update instanceof WatchUpdate.SnapshotComplete complete) {
      return complete.position().token();
    } else if (update instanceof WatchUpdate.Bookmark bookmark) {
      return bookmark.position().map(Position::token).orElse(before);
    } else if (update instanceof WatchUpdate.Interrupted interrupted) {
      return interrupted.cause().action() == ErrorAction.RESTART ? ByteString.EMPTY : before;
    }
    return before;
  }

  /**
   * Returns the token of the last update that was read. A later process may start with this token
   * once the update has been processed. Empty if there is none yet, or if its timeline is lost and
   * the watch starts over.
   */
  public ByteString lastToken() {
    synchronized (lock) {
      return token;
    }
  }

  /**
   * Returns an iterator over all further updates until the stream is closed. Its {@code next}
   * blocks and throws as {@link #next()} does. If the thread is interrupted, {@code next} throws
   * {@link CancellationException} and keeps the interrupt status.
   */
  @Override
  public Iterator<WatchUpdate> iterator() {
    return new Iterator<>() {
      private @Nullable WatchUpdate ahead;

      @Override
      public boolean hasNext() {
        if (ahead == null && !isClosed()) {
          ahead = read();
        }
        return ahead != null;
      }

      @Override
      public WatchUpdate next() {
        WatchUpdate update = hasNext() ? ahead : null;
        if (update == null) {
          throw new NoSuchElementException("the stream was closed");
        }
        ahead = null;
        return update;
      }
    };
  }

  /** Returns the next update; null if the stream was closed. */
  private @Nullable WatchUpdate read() {
    try {
      return next();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled = new CancellationException("interrupted");
      cancelled.initCause(e);
      throw cancelled;
    } catch (CancellationException e) {
      if (isClosed()) {
        return null;
      }
      throw e;
    }
  }

  private boolean isClosed() {
    synchronized (lock) {
      return isClosed;
    }
  }

  /** Ends the watch and a blocked read. May be called more than once. */
  @Override
  public void close() {
    WatchCall open;
    synchronized (lock) {
      isClosed = true;
      open = call;
      lock.notifyAll();
    }
    if (open != null) {
      open.close();
    }
  }
}
