package io.watchgate.bench.yardstick;

import io.watchgate.kube.KubeException;

/** The apiserver, as a yardstick needs it. */
interface Upstream {
  /**
   * Watches the objects of a type in a namespace after a version, until the process ends.
   *
   * @param lines is called with every event, on one thread
   */
  void watch(String namespace, String plural, String version, Topics.Listener lines)
      throws KubeException;
}
