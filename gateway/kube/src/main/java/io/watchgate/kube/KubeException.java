package io.watchgate.kube;

import io.watchgate.cache.UpstreamFailure;

/** Failure of a request to the apiserver. */
public final class KubeException extends Exception {
  private final transient UpstreamFailure failure;

  KubeException(UpstreamFailure failure) {
    super(failure.message());
    this.failure = failure;
  }

  public UpstreamFailure failure() {
    return failure;
  }
}
