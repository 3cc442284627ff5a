package io.watchgate.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets updates through to the listener as it asks for them. Used by the call's owner, not
 * thread-safe; a step may add others, which come after it.
 *
 * <p>What waits is short: what one response came to, since the next one is asked for behind it. An
 * interruption takes its place.
 */
final class DemandQueue {
  private final Consumer<WatchUpdate> listener;
  private final Deque<Step> steps = new ArrayDeque<>();
  private long demand;
  private boolean isDraining;

  private sealed interface Step {}

  /** Needs demand. */
  private record Tell(WatchUpdate update) implements Step {}

  /** Needs none, but what is before it. */
  private record Then(Runnable task) implements Step {}

  /**
   * @param demand so many updates are wanted; {@link Long#MAX_VALUE}: all
   */
  DemandQueue(Consumer<WatchUpdate> listener, long demand) {
    this.listener = listener;
    this.demand = demand;
  }

  void request(long updates) {
    demand = demand > Long.MAX_VALUE - updates ? Long.MAX_VALUE : demand + updates;
    drain();
  }

  void tell(WatchUpdate update) {
    tell(List.of(update), null);
  }

  /**
   * @param then runs once all of them were told
   */
  void tell(List<? extends WatchUpdate> updates, @Nullable Runnable then) {
    updates.forEach(update -> steps.add(new Tell(update)));
    if (then != null) {
      steps.add(new Then(then));
    }
    drain();
  }

  /** Runs that once all was told that waits. */
  void then(Runnable task) {
    tell(List.of(), task);
  }

  /** Nothing that waits is told, nor done. */
  void forget() {
    steps.clear();
  }

  private void drain() {
    if (isDraining) {
      return; // the loop below comes to it
    }
    isDraining = true;
    try {
      while (!steps.isEmpty() && (demand > 0 || !(steps.peek() instanceof Tell))) {
        Step step = steps.remove();
        if (step instanceof Then then) {
          then.task.run();
        } else if (step instanceof Tell tell) {
          demand -= demand == Long.MAX_VALUE ? 0 : 1;
          listener.accept(tell.update);
        }
      }
    } finally {
      isDraining = false;
    }
  }
}
