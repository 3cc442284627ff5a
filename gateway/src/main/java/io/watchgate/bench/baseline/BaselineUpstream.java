package io.watchgate.bench.baseline;

import io.watchgate.kube.KubeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The apiserver, as a yardstick needs it. */
interface BaselineUpstream {
  /**
   * Watches after a version, until the process ends.
   *
   * @param lines is called with every event, on one thread
   */
  void watch(NamespacedType resources, String version, Topics.Listener lines) throws KubeException;

  /** Everything that is there now, at least as new as what any watch has told; waits for it. */
  ListResult list(NamespacedType resources)
      throws KubeException, ExecutionException, TimeoutException, InterruptedException;
}
