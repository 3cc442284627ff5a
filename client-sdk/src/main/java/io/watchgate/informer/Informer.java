package io.watchgate.informer;

import io.watchgate.client.WatchCall;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import io.watchgate.client.WatchListener;
import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all objects that match a selection, as they are now, and tells handlers what changes. Over
 * any number of interruptions it goes on from where it was; it is given everything again only where
 * the gateway does not know any more what was missed, and then tells of the difference alone.
 *
 * <p>Thread-safe. {@link #close} frees all it has.
 *
 * @param <T> what objects are decoded to
 */
public final class Informer<T> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final WatchClient client;
  private final String name;
  private final Problems problems;
  private final Handlers<T> handlers;
  private final Freshness freshness = new Freshness(System::nanoTime);

  /** Used on the owner of the call that goes on, one after the other. */
  private final Applier<T> applier;

  /** Held while what is held and what handlers are told of it differ; before {@link #state}. */
  private final Object telling = new Object();

  /** Guards what follows, and is where those wait who wait for something to happen. */
  private final Object state = new Object();

  private ListAndWatchRequest request;
  private @Nullable WatchCall call;
  private volatile Snapshot<T> held;
  private volatile boolean isSynced;
  private volatile boolean isClosed;
  private volatile @Nullable WatchError error;
  private volatile long restarts;

  Informer(
      WatchClient client,
      String name,
      ListAndWatchRequest request,
      Applier<T> applier,
      Problems problems) {
    this.client = client;
    this.name = name;
    this.request = request;
    this.applier = applier;
    this.problems = problems;
    this.held = applier.held();
    this.handlers = new Handlers<>(client.executor(), problems);
  }

  /**
   * An informer that is yet to be made.
   *
   * @param type its plural, with its group if it has one: {@code pods}, {@code deployments.apps}
   */
  public static <T> InformerBuilder<T> of(WatchClient client, String type, Decoder<T> decoder) {
    return new InformerBuilder<>(client, type, decoder);
  }

  void start() {
    synchronized (state) {
      if (!isClosed) {
        call = client.watch(request, new Listening());
      }
    }
  }

  // ---- what is held

  /** All objects as they are now; of an informer that was not synced yet, none. */
  public Snapshot<T> snapshot() {
    return held;
  }

  /** Whether all that matches has been there once. */
  public boolean isSynced() {
    return isSynced;
  }

  /** How far what is held may be behind the apiserver; empty before it is synced. */
  public Optional<Duration> staleness() {
    return isSynced ? freshness.staleness() : Optional.empty();
  }

  /**
   * Waits until all that matches is there.
   *
   * @throws InformerEndedException if it will never be
   */
  public void awaitSynced(Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    await(any -> true, atMost);
  }

  /**
   * Waits until what is held is as new as a version of the same type, such as that of an object
   * which was just written: read your own writes. A change that this informer does not select is
   * known to have passed with the next bookmark, which may take half a minute.
   *
   * @throws IllegalArgumentException if it is no version
   * @throws InformerEndedException if it will never be
   */
  public Snapshot<T> awaitAtLeast(String resourceVersion, Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    ResourceVersions.compare(resourceVersion, resourceVersion);
    return await(
        now -> ResourceVersions.compare(now.resourceVersion(), resourceVersion) >= 0, atMost);
  }

  /**
   * Waits until that holds of what is there, once it is synced.
   *
   * @param wanted quick, and asked at each change
   * @return that for which it holds
   * @throws InformerEndedException if it will never be
   */
  public Snapshot<T> await(Predicate<? super Snapshot<T>> wanted, Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    synchronized (state) {
      while (!isSynced || !wanted.test(held)) {
        if (isClosed || error != null) {
          throw new InformerEndedException(error);
        }
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new TimeoutException(
              "%s %s after %s"
                  .formatted(
                      name, isSynced ? "is not what was waited for" : "is not synced", atMost));
        }
        state.wait(left);
      }
      return held;
    }
  }

  // ---- handlers

  /** Tells that one everything from now on, after all that there is. */
  public HandlerRegistration addHandler(Handler<T> handler) {
    return addHandler(handler, HandlerSettings.DEFAULT);
  }

  /** The same in another way. */
  public HandlerRegistration addHandler(Handler<T> handler, HandlerSettings settings) {
    synchronized (state) {
      if (isClosed) {
        throw new IllegalStateException(name + " is closed");
      }
      HandlerFeed<T> feed = handlers.add(handler, settings, isSynced ? held : null);
      if (!settings.showAllEvery().isZero()) {
        showAllAfter(settings.showAllEvery(), new WeakReference<>(feed));
      }
      return feed;
    }
  }

  /** Weak: the JDK's timer keeps what it was given until its time has come. */
  private void showAllAfter(Duration interval, WeakReference<HandlerFeed<T>> place) {
    CompletableFuture.delayedExecutor(interval.toNanos(), TimeUnit.NANOSECONDS, client.executor())
        .execute(
            () -> {
              HandlerFeed<T> feed = place.get();
              if (feed != null && !feed.isOver()) {
                synchronized (telling) {
                  if (isSynced) {
                    feed.showAgain(held);
                  }
                }
                showAllAfter(interval, place);
              }
            });
  }

  // ---- how it goes

  /** Why it has ended by itself; empty: it has not. */
  public Optional<WatchError> error() {
    return Optional.ofNullable(error);
  }

  /** How many problems there were. */
  public long problems() {
    return problems.count();
  }

  /** How often it began anew since a patch did not fit. */
  public long restarts() {
    return restarts;
  }

  /** How many changes were older than what was held, and dropped. */
  public long staleChanges() {
    return applier.stale();
  }

  /**
   * Ends it: no handler is told of anything more. Waits until those that are being told have
   * returned, unless one of them calls this. May be called more than once.
   */
  @Override
  public void close() {
    WatchCall open;
    synchronized (state) {
      isClosed = true;
      open = call;
      call = null;
      state.notifyAll();
    }
    if (open != null) {
      open.close();
    }
    handlers.close();
  }

  // ---- what comes

  /** Hears one call, until another takes its place. */
  private final class Listening implements WatchListener {
    private boolean isOver;

    @Override
    public void onUpdate(WatchUpdate update) {
      if (isOver || isClosed) {
        return;
      }
      try {
        hear(update);
      } catch (JsonPatch.UnfitException e) {
        isOver = true;
        problems.accept(new InformerProblem.PatchUnfit(String.valueOf(e.getMessage())));
        startOverWithoutPatches();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // of a program that ends
        throw new IllegalStateException("interrupted while a handler had no room", e);
      }
    }
  }

  private void hear(WatchUpdate update) throws JsonPatch.UnfitException, InterruptedException {
    if (update instanceof WatchUpdate.Changes changes) {
      publish(applier.apply(changes.events(), changes.position().resourceVersion()));
    } else if (update instanceof WatchUpdate.Bookmark bookmark) {
      if (bookmark.position().isPresent()) {
        publish(applier.reach(bookmark.position().get().resourceVersion()));
      }
      freshness.hear(bookmark);
    } else if (update instanceof WatchUpdate.SnapshotBegun begun) {
      applier.begin(begun);
    } else if (update instanceof WatchUpdate.SnapshotObjects objects) {
      applier.collect(objects.objects());
    } else if (update instanceof WatchUpdate.SnapshotComplete complete) {
      freshness.hear(complete.staleness());
      synced(applier.complete(complete.position().resourceVersion()));
    } else if (update instanceof WatchUpdate.Interrupted interrupted) {
      if (interrupted.snapshotDiscarded()) {
        applier.discard();
      }
    } else if (update instanceof WatchUpdate.Reconnected reconnected) {
      log.info(
          "{} goes on after {} ms and {} attempts: {}, since {}",
          name,
          reconnected.away().toMillis(),
          reconnected.attempts(),
          reconnected.continuation(),
          reconnected.cause());
    } else if (update instanceof WatchUpdate.Ended ended) {
      log.error("{} has ended: {}", name, ended.error().message());
      synchronized (state) {
        error = ended.error();
        state.notifyAll();
      }
    }
  }

  private void synced(Applier.Step<T> step) throws InterruptedException {
    boolean isFirst;
    synchronized (state) {
      isFirst = !isSynced;
      if (isFirst) {
        held = step.held();
        isSynced = true;
        handlers.begin(held);
        state.notifyAll();
      }
    }
    if (!isFirst) {
      publish(step);
    }
  }

  private void publish(Applier.Step<T> step) throws InterruptedException {
    synchronized (telling) {
      List<HandlerFeed<T>> told;
      synchronized (state) {
        held = step.held();
        told = handlers.all(); // who comes later begins with what is held
        state.notifyAll();
      }
      for (Change<T> change : step.changes()) {
        for (HandlerFeed<T> feed : told) {
          feed.tell(change);
        }
      }
    }
  }

  /** The same with whole objects: what did not fit once may not fit again. */
  private void startOverWithoutPatches() {
    applier.discard();
    synchronized (state) {
      WatchCall left = call;
      restarts++;
      request =
          request.toBuilder()
              .setProjection(
                  request.getProjection().toBuilder()
                      .setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_FULL))
              .build();
      if (left != null) {
        left.close();
      }
      start();
    }
  }

  @Override
  public String toString() {
    return name + ": " + held;
  }
}
