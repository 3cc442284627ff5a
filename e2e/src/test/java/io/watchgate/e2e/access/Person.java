package io.watchgate.e2e.access;

import io.grpc.Channel;
import io.watchgate.e2e.kube.Cluster;

/**
 * Somebody who can ask the apiserver and the gateway for the same.
 *
 * @param name as the apiserver knows him
 */
record Person(String name, Cluster direct, Channel gateway) implements AutoCloseable {
  @Override
  public void close() {
    direct.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
