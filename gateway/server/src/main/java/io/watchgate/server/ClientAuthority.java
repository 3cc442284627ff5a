package io.watchgate.server;

import java.nio.file.Path;

/** Place of the authorities that sign the client certificates of the Kubernetes read API. */
public sealed interface ClientAuthority {
  /** PEM file. */
  record InFile(Path file) implements ClientAuthority {}

  /** Authorities of the cluster, as its apiserver publishes them in a ConfigMap. */
  enum OfCluster implements ClientAuthority {
    OF_CLUSTER
  }
}
