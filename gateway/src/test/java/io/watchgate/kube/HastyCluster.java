package io.watchgate.kube;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import java.time.Duration;

/** Cluster whose streaming lists have a shorter marker timeout than the cache's. */
record HastyCluster(KubeCluster cluster, Duration markerTimeout) implements Cluster {
  @Override
  public Resolution resolve(TypeReference name) throws InterruptedException {
    return cluster.resolve(name);
  }

  @Override
  public Resolution refresh(TypeReference name) throws InterruptedException {
    return cluster.refresh(name);
  }

  @Override
  public Listing types() throws InterruptedException {
    return cluster.types();
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    return new HastyUpstream(cluster.open(definition), markerTimeout);
  }

  private record HastyUpstream(Upstream upstream, Duration markerTimeout) implements Upstream {
    @Override
    public ListOutcome list(ItemSink sink) {
      return upstream.list(sink);
    }

    @Override
    public ListOutcome listAt(String resourceVersion, Content content, ItemSink sink) {
      return upstream.listAt(resourceVersion, content, sink);
    }

    @Override
    public WatchOutcome watchList(Duration ignored, WatchSink sink) {
      return upstream.watchList(markerTimeout, sink);
    }

    @Override
    public WatchOutcome watch(String resourceVersion, WatchSink sink) {
      return upstream.watch(resourceVersion, sink);
    }

    @Override
    public WatchOutcome watchBriefly(String resourceVersion, Duration duration, WatchSink sink) {
      return upstream.watchBriefly(resourceVersion, duration, sink);
    }

    @Override
    public void interrupt() {
      upstream.interrupt();
    }

    @Override
    public ListOutcome probe() {
      return upstream.probe();
    }

    @Override
    public void close() {
      upstream.close();
    }
  }
}
