package io.watchgate.informer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of problems: to the log, and to whoever asked for it. Thread-safe. */
final class Problems implements Consumer<InformerProblem> {
  private static final Logger log = LoggerFactory.getLogger(Informer.class);

  private final String name;
  private final Consumer<InformerProblem> listener;
  private final AtomicLong count = new AtomicLong();

  Problems(String name, Consumer<InformerProblem> listener) {
    this.name = name;
    this.listener = listener;
  }

  @Override
  public void accept(InformerProblem problem) {
    count.incrementAndGet();
    log.warn("{}: {}", name, problem.text());
    try {
      listener.accept(problem);
    } catch (RuntimeException e) {
      log.error("{}: who is told of problems threw", name, e);
    }
  }

  long count() {
    return count.get();
  }
}
