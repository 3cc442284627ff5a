package io.watchgate.e2e.access;

import io.grpc.Channel;
import io.watchgate.e2e.kube.Cluster;

/**
 * User who can send the same request to the apiserver and to the gateway.
 *
 * @param name user name at the apiserver
 * @param proxied the Kubernetes read API of the gateway
 */
record ComparedUser(String name, Cluster direct, Cluster proxied, Channel gateway)
    implements AutoCloseable {
  @Override
  public void close() {
    direct.close();
    proxied.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
