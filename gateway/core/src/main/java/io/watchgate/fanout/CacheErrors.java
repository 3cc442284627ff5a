package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.UpstreamState;
import io.watchgate.error.ApiError;
import io.watchgate.error.LimitErrors;
import io.watchgate.error.UpstreamErrors;

/** Selection of the error that subscribers get when the list-watch of a type ends. */
public final class CacheErrors {
  private CacheErrors() {}

  public static ApiError of(ApiResource type, UpstreamState upstream) {
    String name = type.groupResource();
    return switch (upstream.phase()) {
      case GONE -> UpstreamErrors.typeGone(name);
      case UNORDERED -> UpstreamErrors.versionsNotOrdered(name);
      case TOO_LARGE -> LimitErrors.typeTooLarge(name);
      case REDEFINED -> UpstreamErrors.typeRedefined(name);
      case LOADING, WATCHING, DISCONNECTED, CLOSED -> UpstreamErrors.typeClosed(name);
    };
  }
}
