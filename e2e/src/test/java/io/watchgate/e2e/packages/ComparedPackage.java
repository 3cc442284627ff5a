package io.watchgate.e2e.packages;

import io.watchgate.e2e.unmodified.TriedClient;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Client that holds pods, of this project or of Kubernetes. */
enum ComparedPackage {
  CLIENT_GO("client-go " + version(TriedClient.NEWEST_CLIENT_GO)),
  CLIENT_GO_JSON("client-go, JSON"),
  PYTHON_OFFICIAL("`kubernetes` " + version(TriedClient.OFFICIAL_PYTHON)),
  NODE_OFFICIAL("`@kubernetes/client-node` " + version(TriedClient.JAVASCRIPT_2)),
  GO("ours, Go", CLIENT_GO),
  GO_INFORMER("client-go on our ListerWatcher", CLIENT_GO),
  PYTHON("ours, Python", PYTHON_OFFICIAL),
  NODE("ours, Node", NODE_OFFICIAL);

  private final String title;
  private final ComparedPackage official;

  ComparedPackage(String title) {
    this.title = title;
    this.official = this;
  }

  /**
   * @param official official client of the same language
   */
  ComparedPackage(String title, ComparedPackage official) {
    this.title = title;
    this.official = official;
  }

  private static String version(TriedClient client) {
    try {
      return client.version();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether it connects to a gateway, and not to the apiserver. */
  boolean isOurs() {
    return official != this;
  }

  /** Returns the official client that it is compared with. */
  ComparedPackage official() {
    return official;
  }

  @Override
  public String toString() {
    return title;
  }
}
