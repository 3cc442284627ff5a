package io.watchgate.bench;

import io.watchgate.kube.KubeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Creates the objects of a run, several at a time. */
record ObjectCreator(TestObjects objects) {
  private static final int THREADS = 8;

  /**
   * Creates all; the last of them after all others.
   *
   * @return the version of the last, which no other exceeds
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
      for (Future<?> part : parts) {
        part.get();
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
