package io.watchgate.grpc;

import com.google.protobuf.ByteString;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits and simple values of requests. Values out of range are clamped, invalid values are
 * refused. Limits of selectors are in {@link io.watchgate.select.SelectionLimits}, and the ranges
 * of {@code delivery} in {@link io.watchgate.fanout.DeliveryDefaults}.
 */
final class RequestLimits {
  /** Bytes of a request's message; above it the request is refused with a reason. */
  static final int MAX_REQUEST_BYTES = 64 << 10;

  /**
   * Limit of a bearer token. An apiserver accepts the same size in its headers and more in a
   * TokenReview.
   */
  static final int MAX_TOKEN_BYTES = 64 << 10;

  /** Bytes of a call's metadata besides {@code authorization}. */
  static final int MAX_METADATA_BYTES = 8 << 10;

  static final int MAX_CLIENT_NAME_BYTES = 128;

  /** Bytes of a request to health or reflection, which need no credentials and keep it. */
  static final int MAX_OPEN_REQUEST_BYTES = 1 << 10;

  /** Calls of reflection at a time: an answer of up to 100 KiB may wait for a client in each. */
  static final int MAX_REFLECTION_CALLS = 32;

  /** Limit of a group, a version or a resource: each is a DNS name. */
  static final int MAX_TYPE_NAME = 253;

  /** JSON pointers of a projection, and their bytes in all. */
  static final int MAX_POINTERS = 32;

  static final int MAX_POINTER_BYTES = 1 << 10;

  /** Objects of a page of a list, by default and at most. */
  static final int DEFAULT_PAGE = 500;

  static final int MAX_PAGE = 5_000;

  /**
   * Longest wait of ListResourceTypes for the types that the caller may list. Without them the
   * response lacks only the numbers of objects.
   */
  static final Duration LISTABLE_TIMEOUT = Duration.ofSeconds(2);

  /** Bytes of a response. */
  static final int DEFAULT_RESPONSE_BYTES = 4 << 20;

  static final int MIN_RESPONSE_BYTES = 4 << 10;
  static final int MAX_RESPONSE_BYTES = 64 << 20;

  private RequestLimits() {}

  static void checkClientName(String name) throws ApiException {
    int bytes = ByteString.copyFromUtf8(name).size();
    if (bytes > MAX_CLIENT_NAME_BYTES) {
      throw new ApiException(RequestErrors.clientNameTooLong(bytes, MAX_CLIENT_NAME_BYTES));
    }
  }

  /** Returns the default for 0, else a value between 4 KiB and 64 MiB. */
  static int responseBytes(int requested) {
    if (requested == 0) {
      return DEFAULT_RESPONSE_BYTES;
    }
    // A uint32 arrives as int: a negative value is above 2 GiB.
    return requested < 0
        ? MAX_RESPONSE_BYTES
        : Math.clamp(requested, MIN_RESPONSE_BYTES, MAX_RESPONSE_BYTES);
  }

  static Duration clamp(
      String field, com.google.protobuf.Duration requested, Duration min, Duration max)
      throws ApiException {
    int nanos = requested.getNanos();
    boolean signsDiffer =
        (requested.getSeconds() > 0 && nanos < 0) || (requested.getSeconds() < 0 && nanos > 0);
    if (nanos <= -1_000_000_000 || nanos >= 1_000_000_000 || signsDiffer) {
      throw new ApiException(RequestErrors.notADuration(field));
    }
    if (requested.getSeconds() > max.toSeconds()) { // before the sum, which might overflow
      return max;
    }
    if (requested.getSeconds() < 0) {
      return min;
    }
    Duration duration = Duration.ofSeconds(requested.getSeconds(), nanos);
    return duration.compareTo(min) < 0 ? min : duration.compareTo(max) > 0 ? max : duration;
  }

  static @Nullable ResourceVersion minimumVersion(String text) throws ApiException {
    return text.isEmpty() ? null : version("minimum_resource_version", text);
  }

  static ResourceVersion version(String field, String text) throws ApiException {
    ResourceVersion version = ResourceVersion.parse(text);
    if (version == null) {
      throw new ApiException(RequestErrors.notAVersion(field, ResourceVersion.MAX_DIGITS));
    }
    return version;
  }
}
