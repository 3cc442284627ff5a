package io.watchgate.bench.yardstick;

import io.watchgate.kube.KubeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The apiserver, as a yardstick needs it. */
interface Upstream {
  /**
   * Watches after a version, until the process ends.
   *
   * @param lines is called with every event, on one thread
   */
  void watch(Resources resources, String version, Topics.Listener lines) throws KubeException;

  /** Everything that is there now, at least as new as what any watch has told; waits for it. */
  Listed list(Resources resources)
      throws KubeException, ExecutionException, TimeoutException, InterruptedException;
}
