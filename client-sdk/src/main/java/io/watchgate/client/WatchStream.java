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
 * A watch that is read one update after the other, over as many streams as it takes. Nothing is
 * asked of the gateway that was not asked for here, and no thread waits but the one that reads.
 *
 * <pre>{@code
 * try (WatchStream stream = client.open(request)) {
 *   for (WatchUpdate update : stream) {
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>To be read by one thread at a time; {@link #close} may be called by any, and ends the reading
 * of another, as closing the client does.
 */
public final class WatchStream implements Iterable<WatchUpdate>, AutoCloseable {
  private final Object lock = new Object();
  private @Nullable WatchCall call;
  private @Nullable WatchUpdate arrived;
  private boolean isAsked;
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

    /** Why, if anybody is to be told, came before. */
    @Override
    public void onOver() {
      synchronized (lock) {
        isClosed = isClosed || (error == null && !(arrived instanceof WatchUpdate.Ended));
        lock.notifyAll();
      }
    }
  }

  /**
   * The next update; waits for it. {@link WatchUpdate.Interrupted} and what follows it come as
   * well: the stream goes on by itself.
   *
   * @throws WatchEndedException if it cannot go on; so does each later call
   * @throws CancellationException if it was closed
   */
  public WatchUpdate next() throws InterruptedException {
    return next(Duration.ofNanos(Long.MAX_VALUE))
        .orElseThrow(() -> new IllegalStateException("three centuries went by"));
  }

  /**
   * The next update, if it comes in time; else it is what a later call gets.
   *
   * @return empty: nothing came
   * @throws WatchEndedException if it cannot go on; so does each later call
   * @throws CancellationException if it was closed
   */
  public Optional<WatchUpdate> next(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    synchronized (lock) {
      ask();
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

  private void ask() {
    if (error != null) {
      throw new WatchEndedException(error);
    }
    if (!isAsked && !isClosed && call != null) {
      isAsked = true;
      call.request(1);
    }
  }

  private WatchUpdate take() {
    WatchUpdate update = arrived;
    if (update == null) {
      throw new NoSuchElementException();
    }
    arrived = null;
    isAsked = false;
    if (update instanceof WatchUpdate.Ended ended) {
      error = ended.error();
      throw new WatchEndedException(ended.error());
    }
    token = after(update, token);
    return update;
  }

  private static ByteString after(WatchUpdate update, ByteString before) {
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
   * The token of the last update that was read; a later process may begin with it, once it has
   * dealt with that. Empty: none yet, or what it led to is lost and the watch starts over.
   */
  public ByteString lastToken() {
    synchronized (lock) {
      return token;
    }
  }

  /**
   * Of all updates from here on, until it is closed. Its {@code next} waits, and throws as {@link
   * #next()} does; an interrupt of the thread makes it throw {@link CancellationException}, and
   * stays set.
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

  /** Null: it was closed. */
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

  /** Ends it, and the waiting of whoever reads. May be called more than once. */
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
