package io.watchgate.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handlers of an informer. Thread-safe. */
final class Handlers<T> {
  private final Executor executor;
  private final Consumer<InformerProblem> problems;
  private final List<HandlerDispatcher<T>> dispatchers = new CopyOnWriteArrayList<>();

  Handlers(Executor executor, Consumer<InformerProblem> problems) {
    this.executor = executor;
    this.problems = problems;
  }

  /**
   * @param held initial objects of the handler; null: {@link #begin} delivers them later
   */
  HandlerDispatcher<T> add(
      Handler<T> handler, HandlerSettings settings, @Nullable Snapshot<T> held) {
    HandlerDispatcher<T> dispatcher =
        new HandlerDispatcher<>(handler, settings, executor, problems, dispatchers::remove);
    if (held != null) {
      dispatcher.addInitial(held);
    }
    dispatchers.add(dispatcher);
    return dispatcher;
  }

  void begin(Snapshot<T> held) {
    dispatchers.forEach(dispatcher -> dispatcher.addInitial(held));
  }

  /** Returns a copy of the list. */
  List<HandlerDispatcher<T>> all() {
    return List.copyOf(dispatchers);
  }

  /** Returns the number of queued changes of all handlers. */
  int pendingChanges() {
    return dispatchers.stream().mapToInt(HandlerDispatcher::pendingChanges).sum();
  }
}
