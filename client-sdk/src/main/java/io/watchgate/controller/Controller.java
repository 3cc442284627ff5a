package io.watchgate.controller;

import io.watchgate.informer.DeletionReason;
import io.watchgate.informer.Handler;
import io.watchgate.informer.HandlerRegistration;
import io.watchgate.informer.HandlerSettings;
import io.watchgate.informer.Informer;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles what informers tell of: each object when it is there, when it changes and when it is
 * gone, one at a time each, by so many workers. What failed is tried again. Thread-safe.
 *
 * <pre>{@code
 * Controller controller = Controller.of(key -> {
 *   Optional<Stored<Pod>> pod = pods.snapshot().get(key);
 *   ...
 *   return Outcome.done();
 * });
 * controller.watch(pods);
 * controller.start(4, client.executor());
 * }</pre>
 */
public final class Controller implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Controller.class);

  private final Reconciler reconciler;
  private final WorkQueue<NamespacedName> queue;
  private final List<HandlerRegistration> places = new CopyOnWriteArrayList<>();
  private @Nullable CountDownLatch running;

  private Controller(Reconciler reconciler, WorkQueue<NamespacedName> queue) {
    this.reconciler = reconciler;
    this.queue = queue;
  }

  /** One that tries again as {@link RetryPolicy#DEFAULT} says, and does nothing yet. */
  public static Controller of(Reconciler reconciler) {
    return new Controller(reconciler, new WorkQueue<>());
  }

  /** One that tries again in another way. */
  public static Controller of(Reconciler reconciler, RetryPolicy retries) {
    return new Controller(reconciler, new WorkQueue<>(retries));
  }

  /** Its objects are those that are reconciled. */
  public <T> Controller watch(Informer<T> informer) {
    places.add(
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
   * Its objects lead to those that are reconciled, as a pod to its owner. Each state of an object
   * is mapped once; its keys are kept until the next state, and reconciled then as well, since the
   * object may concern others now. A state for which the function throws is reported ({@link
   * io.watchgate.informer.InformerProblem.HandlerFailed}), and the keys that are kept stay.
   *
   * @param concerned what has to be looked at when such an object changes; quick
   */
  public <T> Controller watch(
      Informer<T> informer,
      Function<StoredObject<T>, ? extends Collection<NamespacedName>> concerned) {
    places.add(
        informer.addHandler(
            new MappingHandler<>(concerned, queue),
            HandlerSettings.DEFAULT)); // the store is ahead: each state may have been acted on
    return this;
  }

  /** What waits to be reconciled; for what else there is to look at, such as a timer's. */
  public WorkQueue<NamespacedName> queue() {
    return queue;
  }

  /**
   * Begins. Called once, after the informers are synced, else what is not there yet looks as if it
   * were gone.
   *
   * @param workers so many are reconciled at a time, at least 1
   * @param threads has that many for as long as this runs
   */
  public synchronized void start(int workers, Executor threads) {
    if (running != null) {
      throw new IllegalStateException("it was started before");
    }
    CountDownLatch ends = new CountDownLatch(workers);
    running = ends;
    for (int i = 0; i < workers; i++) {
      threads.execute(
          () -> {
            try {
              work();
            } finally {
              ends.countDown();
            }
          });
    }
  }

  private void work() {
    try {
      for (Optional<NamespacedName> next = queue.take(); next.isPresent(); next = queue.take()) {
        reconcile(next.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void reconcile(NamespacedName key) throws InterruptedException {
    try {
      Result outcome = reconciler.reconcile(key);
      queue.succeeded(key);
      if (!outcome.lookAgainAfter().isZero()) {
        queue.addAfter(key, outcome.lookAgainAfter());
      }
    } catch (InterruptedException e) {
      queue.failed(key);
      throw e;
    } catch (Exception | Error e) { // the worker outlives it, and others wait for the key
      queue.failed(key);
      log.warn("{} could not be reconciled, the {}. time in a row", key, queue.failures(key), e);
    }
  }

  /**
   * Ends it: what is being reconciled comes to its end, what waits is still done, and nothing more
   * comes. Waits for it; an interrupt ends the waiting alone.
   */
  @Override
  public void close() {
    places.forEach(HandlerRegistration::close);
    queue.close();
    CountDownLatch ends;
    synchronized (this) {
      ends = running;
    }
    if (ends != null) {
      try {
        ends.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
