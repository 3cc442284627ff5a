package io.watchgate.kube;

import io.watchgate.cache.Cluster;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamFailure;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Cluster at a real apiserver. Thread-safe. */
public final class KubeCluster implements Cluster, AutoCloseable {
  private final ApiserverAccess server;
  private final UpstreamHttpClient client;
  private final TypeCache types;

  private KubeCluster(ApiserverAccess server, LongSupplier nanoTime) {
    this.server = server;
    this.client = server.newUpstreamClient();
    this.types = new TypeCache(server, client, nanoTime);
  }

  /**
   * Creates a cluster, without a request to the apiserver.
   *
   * @param nanoTime a monotonic clock, {@link System#nanoTime}
   * @throws ConfigException if TLS cannot be set up with the configuration
   */
  public static KubeCluster of(ClientConfig access, KubeSettings settings, LongSupplier nanoTime)
      throws ConfigException {
    return new KubeCluster(new ApiserverAccess(access, settings, nanoTime), nanoTime);
  }

  /**
   * Returns the identity of the cluster: the uid of its namespace kube-system.
   *
   * @throws KubeException if it cannot be read; the message names the remedies
   */
  public String uid() throws KubeException {
    JsonDocument namespace;
    try {
      namespace =
          client.document(
              server.url("api/v1/namespaces/kube-system").build(),
              "reading the namespace kube-system, whose uid identifies the cluster",
              ApiRequest.JSON);
    } catch (KubeException e) {
      if (e.failure() instanceof UpstreamFailure.Forbidden
          || e.failure() instanceof UpstreamFailure.TypeGone) {
        throw new KubeException(
            new UpstreamFailure.Forbidden(
                e.getMessage()
                    + "; grant the gateway get on the namespace kube-system, or configure a name"
                    + " for the cluster (--cluster-name)"));
      }
      throw e;
    }
    String uid = namespace.object("metadata").text("uid");
    if (uid.isEmpty()) {
      throw new KubeException(
          new UpstreamFailure.Malformed(
              "the namespace kube-system has no uid; configure a name for the cluster"
                  + " (--cluster-name)"));
    }
    return uid;
  }

  @Override
  public Resolution resolve(TypeReference name) throws InterruptedException {
    return types.resolve(name);
  }

  @Override
  public Resolution recheck(TypeReference name) throws InterruptedException {
    return types.recheck(name);
  }

  @Override
  public Resolution refresh(TypeReference name) throws InterruptedException {
    return types.refresh(name);
  }

  @Override
  public Listing types() throws InterruptedException {
    return types.all();
  }

  @Override
  public Upstream open(TypeDefinition definition) {
    return new KubeUpstream(
        server, server.newUpstreamClient(), definition.type(), RandomGenerator.getDefault());
  }

  /** Ends all requests, here and in every upstream, and closes all connections. */
  @Override
  public void close() {
    server.close();
  }
}
