package io.watchgate.grpc;

import io.watchgate.error.ApiException;
import io.watchgate.error.UpstreamErrors;

/**
 * Identity of the served cluster, which is unknown until the apiserver has answered once. Written
 * once; thread-safe.
 */
final class ServedClusterId {
  private volatile String id = "";

  /** Returns an identity that is known. */
  static ServedClusterId of(String id) {
    ServedClusterId known = new ServedClusterId();
    known.set(id);
    return known;
  }

  /**
   * Sets the identity.
   *
   * @param known uid of namespace kube-system, or the configured name; not empty
   */
  void set(String known) {
    id = known;
  }

  /**
   * Returns the identity.
   *
   * @throws ApiException STARTING if it is not known yet
   */
  String require() throws ApiException {
    String known = id;
    if (known.isEmpty()) {
      throw new ApiException(UpstreamErrors.starting());
    }
    return known;
  }
}
