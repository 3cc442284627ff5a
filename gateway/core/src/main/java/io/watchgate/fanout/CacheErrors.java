package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.UpstreamState;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Factory of the errors that subscribers get when the list-watch of a type ends. */
public final class CacheErrors {
  private CacheErrors() {}

  public static ApiError of(ApiResource type, UpstreamState upstream) {
    String name = type.groupResource();
    return switch (upstream.phase()) {
      case GONE ->
          ApiError.of(
              ErrorReason.ERROR_REASON_TYPE_GONE,
              "the apiserver does not serve " + name + " any more; its definition was deleted.");
      case UNORDERED ->
          ApiError.of(
              ErrorReason.ERROR_REASON_VERSIONS_NOT_ORDERED,
              "the resourceVersions of "
                  + name
                  + " are no decimal numbers, so that no order can be promised. Watch the apiserver"
                  + " directly.");
      case TOO_LARGE ->
          ApiError.retry(
              ErrorReason.ERROR_REASON_MEMORY,
              Duration.ofSeconds(30),
              "the objects of "
                  + name
                  + " need more memory than this gateway has for them. Its operator has to give it"
                  + " a larger heap.");
      case REDEFINED ->
          ApiError.retry(
              ErrorReason.ERROR_REASON_STARTING,
              Duration.ofMillis(100),
              name + " was redefined. Resume: the new definition answers.");
      case LOADING, WATCHING, DISCONNECTED, CLOSED ->
          ApiError.retry(
              ErrorReason.ERROR_REASON_STARTING,
              Duration.ofSeconds(1),
              "the list-watch of " + name + " was closed. Resume: it is opened again.");
    };
  }
}
