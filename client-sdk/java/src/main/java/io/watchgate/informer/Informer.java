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
 * Local store of all objects that match a selection, kept up to date, with handlers that are
 * notified of changes. After an interruption the informer resumes from its last position. It
 * receives a new snapshot only if the gateway no longer has the missed changes, and then notifies
 * handlers only of the differences.
 *
 * <p>Thread-safe. {@link #close} releases all resources; resources that informers share ({@link
 * SharedInformers}) are released with the last of these informers.
 *
 * @param <T> type of the decoded objects
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
  private final List<HandlerDispatcher<T>> registrations = new CopyOnWriteArrayList<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * @param whenClosed releases the reflector
   */
  Informer(
      InformerOptions options,
      Reflector<T> reflector,
      Executor executor,
      Consumer<Informer<T>> whenClosed) {
    this.name = options.name();
    this.reflector = reflector;
    this.store = reflector.store();
    this.executor = executor;
    this.onProblem = options.onProblem();
    this.whenClosed = whenClosed;
    reflector.problems().addListener(onProblem);
    meters = registerMeters(options);
  }

  /**
   * Registers the meters. A meter that cannot be registered affects neither the informer nor other
   * meters.
   */
  private List<Runnable> registerMeters(InformerOptions options) {
    List<Runnable> removals = new ArrayList<>();
    for (InformerMeter meter : InformerMeters.of(name, reflector)) {
      try {
        removals.add(options.meters().register(meter));
      } catch (RuntimeException | Error e) {
        log.warn("{}: the meter {} could not be registered", name, meter.name(), e);
      }
    }
    return List.copyOf(removals);
  }

  private void remove(Runnable meter) {
    try {
      meter.run();
    } catch (RuntimeException | Error e) {
      log.warn("{}: a meter could not be removed", name, e);
    }
  }

  /**
   * Returns a builder of an informer with its own stream and store.
   *
   * @param type plural name, with its group if it has one: {@code pods}, {@code deployments.apps}
   * @see SharedInformers#informer
   */
  public static <T> InformerBuilder<T> of(WatchClient client, String type, Decoder<T> decoder) {
    return new InformerBuilder<>(new OwnReflectors(client), type, decoder);
  }

  void start() {
    reflector.start();
  }

  // ---- store

  /** Returns all current objects; no objects before the informer is synced. */
  public Snapshot<T> snapshot() {
    return store.snapshot();
  }

  /** Returns whether the informer has received a complete snapshot. */
  public boolean isSynced() {
    return store.isSynced();
  }

  /** Returns how far the store may be behind the apiserver; empty before the informer is synced. */
  public Optional<Duration> staleness() {
    return reflector.staleness();
  }

  /**
   * Waits until the informer is synced.
   *
   * @throws InformerEndedException if the informer has ended and will not be synced
   */
  public void awaitSynced(Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    await(any -> true, atMost);
  }

  /**
   * Waits until the store is at or after a version of the same type, such as the version of an
   * object that the caller just wrote: read your own writes. A change that this informer does not
   * select is covered by the next bookmark, which may take half a minute.
   *
   * @throws IllegalArgumentException if it is no version
   * @throws InformerEndedException if the informer has ended and will not reach the version
   */
  public Snapshot<T> awaitAtLeast(String resourceVersion, Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    ResourceVersions.compare(resourceVersion, resourceVersion);
    return await(
        now -> ResourceVersions.compare(now.resourceVersion(), resourceVersion) >= 0, atMost);
  }

  /**
   * Waits until the informer is synced and the condition is true.
   *
   * @param wanted condition, evaluated on each change; must be quick
   * @return the snapshot for which the condition is true
   * @throws InformerEndedException if the informer has ended
   */
  public Snapshot<T> await(Predicate<? super Snapshot<T>> wanted, Duration atMost)
      throws InformerEndedException, TimeoutException, InterruptedException {
    return store.await(wanted, atMost, isClosed::get);
  }

  // ---- handlers

  /** Adds a handler, which receives all current objects and then all changes. */
  public HandlerRegistration addHandler(Handler<T> handler) {
    return addHandler(handler, HandlerSettings.DEFAULT);
  }

  /**
   * Adds a handler with delivery settings.
   *
   * @throws IllegalStateException if the informer is closed
   */
  public HandlerRegistration addHandler(Handler<T> handler, HandlerSettings settings) {
    registrations.removeIf(HandlerDispatcher::isRemoved);
    HandlerDispatcher<T> dispatcher = store.add(handler, settings);
    registrations.add(dispatcher);
    if (isClosed.get()) {
      dispatcher.close();
      throw new IllegalStateException(name + " is closed");
    }
    if (!settings.resyncPeriod().isZero()) {
      new ResyncTask<>(store, dispatcher, settings.resyncPeriod().toNanos(), executor).schedule();
    }
    return dispatcher;
  }

  // ---- status

  /** Returns the error that ended the informer; empty if it has not ended by itself. */
  public Optional<WatchError> error() {
    return Optional.ofNullable(store.error());
  }

  /** Returns the number of problems. */
  public long problemCount() {
    return reflector.problems().count();
  }

  /**
   * Returns the reason why the informer is disconnected and retries; empty if it is connected or
   * has ended.
   */
  public Optional<WatchError> connectionError() {
    return Optional.ofNullable(store.connectionError());
  }

  /**
   * Returns the number of restarts caused by updates that violated the protocol or did not apply.
   */
  public long restartCount() {
    return reflector.restarts();
  }

  /** Returns the number of snapshots received, including the first. */
  public long snapshotCount() {
    return reflector.counters().snapshots();
  }

  /**
   * Returns the number of changes dropped because the store already had a newer state of the
   * object.
   */
  public long staleChangeCount() {
    return reflector.staleChanges();
  }

  /**
   * Ends the informer; no handler receives a further change. Waits until running handlers have
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
    List<HandlerDispatcher<T>> ended = List.copyOf(registrations);
    ended.forEach(HandlerDispatcher::remove);
    if (!HandlerDispatcher.isHandlerThread()) {
      ended.forEach(HandlerDispatcher::awaitIdle);
    }
  }

  @Override
  public String toString() {
    return name + ": " + snapshot();
  }

  /** Factory of informers that each have their own reflector. */
  private record OwnReflectors(WatchClient client) implements ReflectorFactory {
    @Override
    public <T> Informer<T> informer(InformerKey<T> key, InformerOptions options) {
      Reflector<T> reflector = key.reflector(client, options);
      return new Informer<>(options, reflector, client.executor(), informer -> reflector.close());
    }
  }
}
