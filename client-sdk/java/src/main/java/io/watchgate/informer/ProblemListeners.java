package io.watchgate.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registry of problem listeners. Each problem is also logged. Thread-safe. */
final class ProblemListeners implements Consumer<InformerProblem> {
  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final String name;
  private final List<Consumer<InformerProblem>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicLong count = new AtomicLong();

  ProblemListeners(String name) {
    this.name = name;
  }

  void addListener(Consumer<InformerProblem> listener) {
    listeners.add(listener);
  }

  /** Removes one registration of the listener; further registrations of it remain. */
  void removeListener(Consumer<InformerProblem> listener) {
    listeners.remove(listener);
  }

  @Override
  public void accept(InformerProblem problem) {
    count.incrementAndGet();
    log.warn("{}: {}", name, problem.text());
    for (Consumer<InformerProblem> listener : listeners) {
      try {
        listener.accept(problem);
      } catch (RuntimeException | Error e) {
        log.error("{}: a problem listener threw an exception", name, e);
      }
    }
  }

  long count() {
    return count.get();
  }
}
