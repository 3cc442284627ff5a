package io.watchgate.cache;

import java.util.concurrent.CountDownLatch;

/**
 * Check of whether the apiserver still serves a type as the cache knows it. What follows is decided
 * by {@link FailurePolicy}: the cache ends, and its streams resume with the new definition. Used by
 * the reflector's thread only.
 */
final class DefinitionCheck {
  private final Cluster cluster;
  private final TypeDefinition known;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;

  /**
   * @param stopped latch that ends the wait
   */
  DefinitionCheck(
      Cluster cluster,
      TypeDefinition known,
      ReflectorClock.Sleeper sleeper,
      CountDownLatch stopped) {
    this.cluster = cluster;
    this.known = known;
    this.sleeper = sleeper;
    this.stopped = stopped;
  }

  /** Returns whether the found definition is another one than the known one. */
  boolean isRedefined(Cluster.Found found) {
    return !known.covers(found.definition());
  }

  /**
   * Returns the present definition. An unknown or different definition would end all streams, so
   * the apiserver is asked twice: after its start it may not know all of its types yet.
   */
  Cluster.Resolution confirmed() throws InterruptedException {
    Cluster.Resolution first = discovered();
    boolean isEnd =
        switch (first) {
          case Cluster.Unknown _ -> true;
          case Cluster.Found found -> isRedefined(found);
          case Cluster.Unavailable _ -> false;
        };
    if (!isEnd) {
      return first;
    }
    sleeper.await(stopped, HistoryProofSettings.CONFIRMATION_DELAY);
    return stopped.getCount() == 0
        ? new Cluster.Unavailable(new UpstreamFailure.Transport("closed by the gateway"))
        : discovered();
  }

  private Cluster.Resolution discovered() throws InterruptedException {
    ApiResource type = known.type();
    return cluster.refresh(new TypeReference(type.group(), type.version(), type.resource()));
  }
}
