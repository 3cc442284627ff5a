package io.watchgate.bench;

import io.watchgate.kube.KubeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Creation of a run's objects on several threads. */
record ObjectCreator(TestObjects objects) {
  private static final int THREADS = 8;

  /**
   * Creates all objects; the last object after all others.
   *
   * @return resourceVersion of the last object, which no other object exceeds
   * @throws InterruptedException if the thread is interrupted; no object is created any more
   */
  String run() throws KubeException, InterruptedException {
    int last = objects.plan().count() - 1;
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> parts = new ArrayList<>();
      for (int part = 0; part < THREADS; part++) {
        int first = part;
        parts.add(
            threads.submit(
                () -> {
                  for (int object = first; object < last; object += THREADS) {
                    objects.create(object);
                  }
                  return null;
                }));
      }
      try {
        for (Future<?> part : parts) {
          part.get();
        }
      } finally {
        threads.shutdownNow(); // after a failure or an interruption, the other parts end as well
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KubeException refused) {
        throw refused;
      }
      throw new IllegalStateException(e);
    }
    return objects.create(last);
  }
}
