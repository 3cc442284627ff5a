package io.watchgate.controller;

import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.HandlerRegistration;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Controller that reconciles the objects of informers: each object when it is added, changed or
 * deleted. A fixed number of workers reconciles, and one object is reconciled by one worker at a
 * time. Failed reconciliations are retried. Thread-safe.
 *
 * <pre>{@code
 * Controller controller = Controller.of(key -> {
 *   Optional<StoredObject<Pod>> pod = pods.snapshot().get(key);
 *   ...
 *   return Result.done();
 * });
 * controller.watch(pods);
 * controller.start(4, client.executor());
 * }</pre>
 */
public final class Controller implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Controller.class);

  private final Reconciler reconciler;
  private final WorkQueue<NamespacedName> queue;
  private final List<HandlerRegistration> registrations = new CopyOnWriteArrayList<>();

  /** Threads of running workers. Guarded by this. */
  private final Set<Thread> workers = new HashSet<>();

  private boolean isStarted;
  private boolean isClosed;

  private Controller(Reconciler reconciler, WorkQueue<NamespacedName> queue) {
    this.reconciler = reconciler;
    this.queue = queue;
  }

  /** Returns a controller with the retries of {@link RetryPolicy#DEFAULT}; it is not started. */
  public static Controller of(Reconciler reconciler) {
    return new Controller(reconciler, new WorkQueue<>());
  }

  /** Returns a controller with a retry policy; it is not started. */
  public static Controller of(Reconciler reconciler, RetryPolicy retries) {
    return new Controller(reconciler, new WorkQueue<>(retries));
  }

  /** Reconciles the objects of the informer. */
  public <T> Controller watch(Informer<T> informer) {
    registrations.add(
        informer.addHandler(
            new Handler<T>() {
              @Override
              public void onAdd(StoredObject<T> object) {
                queue.add(object.key());
              }

              @Override
              public void onUpdate(StoredObject<T> before, StoredObject<T> after) {
                queue.add(after.key());
              }

              @Override
              public void onDelete(StoredObject<T> last, DeletionReason removal) {
                queue.add(last.key());
              }
            },
            HandlerSettings.DEFAULT));
    return this;
  }

  /**
   * Reconciles the objects that the informer's objects concern, as a pod concerns its owner. Each
   * state of an object is mapped once. Its keys are stored until the next state and are then queued
   * as well, since the object may concern other keys now. If the function throws for a state, the
   * problem is reported ({@link io.watchgate.informer.InformerProblem.HandlerFailed}), and the
   * stored keys remain.
   *
   * @param concerned function that returns the keys to reconcile when such an object changes; must
   *     be quick
   */
  public <T> Controller watch(
      Informer<T> informer,
      Function<StoredObject<T>, ? extends Collection<NamespacedName>> concerned) {
    registrations.add(
        informer.addHandler(
            new MappingHandler<>(concerned, queue),
            HandlerSettings.DEFAULT)); // no conflation: a worker may have acted on any state
    return this;
  }

  /** Returns the queue of keys to reconcile. Programs may add keys to it, such as from a timer. */
  public WorkQueue<NamespacedName> queue() {
    return queue;
  }

  /**
   * Starts the workers. Call it once, after the informers are synced; otherwise an object that has
   * not arrived yet looks deleted.
   *
   * @param count number of concurrent reconciliations, at least 1
   * @param threads executor with at least that many threads while the controller runs
   * @throws IllegalStateException if it was started before
   * @throws java.util.concurrent.RejectedExecutionException if the executor rejects a worker; those
   *     before it run until {@link #close}
   */
  public synchronized void start(int count, Executor threads) {
    if (isStarted) {
      throw new IllegalStateException("it was started before");
    }
    isStarted = true;
    for (int i = 0; i < count; i++) {
      threads.execute(this::work);
    }
  }

  private void work() {
    Thread worker = Thread.currentThread();
    synchronized (this) {
      if (isClosed) {
        return; // close has not waited for it
      }
      workers.add(worker);
    }
    try {
      for (Optional<NamespacedName> next = queue.take(); next.isPresent(); next = queue.take()) {
        reconcile(next.get());
      }
    } catch (InterruptedException e) {
      worker.interrupt();
    } finally {
      synchronized (this) {
        workers.remove(worker);
        notifyAll();
      }
    }
  }

  private void reconcile(NamespacedName key) throws InterruptedException {
    Result outcome;
    try {
      outcome = Objects.requireNonNull(reconciler.reconcile(key), "the reconciler's result");
    } catch (InterruptedException e) {
      queue.failed(key);
      throw e;
    } catch (Exception | Error e) { // the worker survives, and the key is released
      queue.failed(key);
      log.warn("reconciling {} failed ({} times in a row)", key, queue.failureCount(key), e);
      return;
    }
    // Once released, the key may be another worker's: nothing may release it a second time.
    queue.succeeded(key);
    if (!outcome.requeueAfter().isZero()) {
      queue.addAfter(key, outcome.requeueAfter());
    }
  }

  /**
   * Stops the controller: running and queued reconciliations finish, and nothing is queued any
   * more. Waits until they have finished, unless one of them calls this; an interrupt ends only the
   * wait.
   */
  @Override
  public void close() {
    registrations.forEach(HandlerRegistration::close);
    queue.close();
    synchronized (this) {
      isClosed = true;
      try {
        while (!workers.isEmpty() && !workers.contains(Thread.currentThread())) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
