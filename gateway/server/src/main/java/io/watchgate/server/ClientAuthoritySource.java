package io.watchgate.server;

import java.nio.file.Path;

/** Place of the authorities that sign the client certificates of the Kubernetes read API. */
public sealed interface ClientAuthoritySource {
  /** PEM file. */
  record InFile(Path file) implements ClientAuthoritySource {}

  /** Authorities of the cluster, as its apiserver publishes them in a ConfigMap. */
  enum OfCluster implements ClientAuthoritySource {
    OF_CLUSTER
  }
}
