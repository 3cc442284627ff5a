package io.watchgate.informer;

import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all objects that match a selection, as they are now, and tells handlers what changes. Over
 * any number of interruptions it goes on from where it was; it is given everything again only where
 * the gateway does not know any more what was missed, and then tells of the difference alone.
 *
 * <p>Thread-safe. {@link #close} frees all it has; of what it shares with others ({@link
 * SharedInformers}), the last one that is closed frees it.
 *
 * @param <T> what objects are decoded to
 */
public final class Informer<T> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final String name;
  private final Reflector<T> reflector;
  private final Store<T> store;
  private final Executor executor;
  private final Consumer<InformerProblem> onProblem;
  private final Consumer<Informer<T>> whenClosed;
  private final List<Runnable> meters;
  private final List<HandlerDispatcher<T>> feeds = new CopyOnWriteArrayList<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * @param whenClosed lets go of the reflector
   */
  Informer(
      InformerOptions purpose,
      Reflector<T> reflector,
      Executor executor,
      Consumer<Informer<T>> whenClosed) {
    this.name = purpose.name();
    this.reflector = reflector;
    this.store = reflector.store();
    this.executor = executor;
    this.onProblem = purpose.onProblem();
    this.whenClosed = whenClosed;
    reflector.problems().addListener(onProblem);
    meters = shown(purpose);
  }

  /** One meter that cannot be shown costs neither the informer nor other meters. */
  private List<Runnable> shown(InformerOptions purpose) {
    List<Runnable> removals = new ArrayList<>();
    for (InformerMeter meter : InformerMeters.of(name, reflector)) {
      try {
        removals.add(purpose.meters().register(meter));
      } catch (RuntimeException | Error e) {
        log.warn("{}: the meter {} cannot be shown", name, meter.name(), e);
      }
    }
    return List.copyOf(removals);
  }

  private void remove(Runnable meter) {
    try {
      meter.run();
    } catch (RuntimeException | Error e) {
      log.warn("{}: a meter cannot be removed", name, e);
    }
  }

  /**
   * An informer that is yet to be made, with a stream and a store of its own.
   *
   * @param type its plural, with its group if it has one: {@code pods}, {@code deployments.apps}
   * @see SharedInformers#informer
   */
  public static <T> InformerBuilder<T> of(WatchClient client, String type, Decoder<T> decoder) {
    return new InformerBuilder<>(new OwnReflectorFactory(client), type, decoder);
  }

  void start() {
    reflector.start();
  }

  // ---- what is held

  /** All objects as they are now; of an informer that was not synced yet, none. */
  public Snapshot<T> snapshot() {
    return store.snapshot();
  }

  /** Whether all that matches has been there once. */
  public boolean isSynced() {
    return store.isSynced();
  }

  /** How far what is held may be behind the apiserver; empty before it is synced. */
  public Optional<Duration> staleness() {
    return reflector.staleness();
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
    return store.await(wanted, atMost, isClosed::get);
  }

  // ---- handlers

  /** Tells that one everything from now on, after all that there is. */
  public HandlerRegistration addHandler(Handler<T> handler) {
    return addHandler(handler, HandlerSettings.DEFAULT);
  }

  /**
   * The same in another way.
   *
   * @throws IllegalStateException if this is closed
   */
  public HandlerRegistration addHandler(Handler<T> handler, HandlerSettings settings) {
    feeds.removeIf(HandlerDispatcher::isOver);
    HandlerDispatcher<T> feed = store.add(handler, settings);
    feeds.add(feed);
    if (isClosed.get()) {
      feed.close();
      throw new IllegalStateException(name + " is closed");
    }
    if (!settings.showAllEvery().isZero()) {
      new ResyncTask<>(store, feed, settings.showAllEvery().toNanos(), executor).begin();
    }
    return feed;
  }

  // ---- how it goes

  /** Why it has ended by itself; empty: it has not. */
  public Optional<WatchError> error() {
    return Optional.ofNullable(store.error());
  }

  /** How many problems there were. */
  public long problems() {
    return reflector.problems().count();
  }

  /** Why it is not connected at the moment, and tries again; empty: it is, or has ended. */
  public Optional<WatchError> trouble() {
    return Optional.ofNullable(store.trouble());
  }

  /** How often it began anew since what came did not fit what is held, or could not be. */
  public long restarts() {
    return reflector.restarts();
  }

  /** How many snapshots it was sent, the first one too. */
  public long snapshots() {
    return reflector.tally().snapshots();
  }

  /** How many changes were older than what was held, and dropped. */
  public long staleChanges() {
    return reflector.staleChanges();
  }

  /**
   * Ends it: no handler is told of anything more. Waits until those that are being told have
   * returned, unless a handler calls this. May be called more than once.
   */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      reflector.problems().removeListener(onProblem);
      meters.forEach(this::remove);
      whenClosed.accept(this);
      store.wake();
    }
    List<HandlerDispatcher<T>> ended = List.copyOf(feeds);
    ended.forEach(HandlerDispatcher::end);
    if (!HandlerDispatcher.isOnAHandler()) {
      ended.forEach(HandlerDispatcher::awaitQuiet);
    }
  }

  @Override
  public String toString() {
    return name + ": " + snapshot();
  }
}
