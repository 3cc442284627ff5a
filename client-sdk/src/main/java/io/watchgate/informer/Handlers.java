package io.watchgate.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The handlers of an informer. Thread-safe. */
final class Handlers<T> {
  private final Executor executor;
  private final Consumer<InformerProblem> problems;
  private final List<HandlerDispatcher<T>> feeds = new CopyOnWriteArrayList<>();

  Handlers(Executor executor, Consumer<InformerProblem> problems) {
    this.executor = executor;
    this.problems = problems;
  }

  /**
   * @param held what it begins with; null: it begins with {@link #begin}
   */
  HandlerDispatcher<T> add(
      Handler<T> handler, HandlerSettings settings, @Nullable Snapshot<T> held) {
    HandlerDispatcher<T> feed =
        new HandlerDispatcher<>(handler, settings, executor, problems, feeds::remove);
    if (held != null) {
      feed.begin(held);
    }
    feeds.add(feed);
    return feed;
  }

  void begin(Snapshot<T> held) {
    feeds.forEach(feed -> feed.begin(held));
  }

  /** A list of its own. */
  List<HandlerDispatcher<T>> all() {
    return List.copyOf(feeds);
  }

  /** How many changes they were not told of yet. */
  int waiting() {
    return feeds.stream().mapToInt(HandlerDispatcher::waiting).sum();
  }
}
