package io.watchgate.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queue that passes updates to the listener as the listener requests them. Confined to the call's
 * serial executor, not thread-safe. A step may add further steps, which run after it.
 *
 * <p>The queue is short: it holds the updates of one response, because the next response is
 * requested after them. An interruption is queued in the same order.
 */
final class DemandQueue {
  private final Consumer<WatchUpdate> listener;
  private final Deque<Step> steps = new ArrayDeque<>();
  private long demand;
  private boolean isDraining;

  private sealed interface Step {}

  /** Update for the listener; consumes demand. */
  private record Deliver(WatchUpdate update) implements Step {}

  /** Task that runs after all earlier steps; needs no demand. */
  private record Then(Runnable task) implements Step {}

  /**
   * @param demand number of updates requested at the start; {@link Long#MAX_VALUE}: all
   */
  DemandQueue(Consumer<WatchUpdate> listener, long demand) {
    this.listener = listener;
    this.demand = demand;
  }

  void request(long updates) {
    demand = demand > Long.MAX_VALUE - updates ? Long.MAX_VALUE : demand + updates;
    drain();
  }

  void enqueue(WatchUpdate update) {
    enqueue(List.of(update), null);
  }

  /**
   * @param then task that runs once the listener has received all updates
   */
  void enqueue(List<? extends WatchUpdate> updates, @Nullable Runnable then) {
    updates.forEach(update -> steps.add(new Deliver(update)));
    if (then != null) {
      steps.add(new Then(then));
    }
    drain();
  }

  /** Runs the task once the listener has received all queued updates. */
  void enqueueTask(Runnable task) {
    enqueue(List.of(), task);
  }

  /** Discards all queued updates and tasks. */
  void clear() {
    steps.clear();
  }

  private void drain() {
    if (isDraining) {
      return; // the loop below runs it
    }
    isDraining = true;
    try {
      while (!steps.isEmpty() && (demand > 0 || !(steps.peek() instanceof Deliver))) {
        Step step = steps.remove();
        if (step instanceof Then then) {
          then.task.run();
        } else if (step instanceof Deliver deliver) {
          demand -= demand == Long.MAX_VALUE ? 0 : 1;
          listener.accept(deliver.update);
        }
      }
    } finally {
      isDraining = false;
    }
  }
}
