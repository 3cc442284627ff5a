package io.watchgate.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import org.jspecify.annotations.Nullable;

/**
 * Limits and simple values of requests. Values out of range are clamped, invalid values are
 * refused.
 */
final class RequestLimits {
  static final int MAX_CLIENT_NAME_BYTES = 128;
  static final int DEFAULT_RESPONSE_BYTES = 4 << 20;
  static final int MIN_RESPONSE_BYTES = 4 << 10;
  private static final int MAX_RESPONSE_BYTES = 64 << 20;

  private RequestLimits() {}

  static void checkClientName(String name) throws ApiException {
    int bytes = ByteString.copyFromUtf8(name).size();
    if (bytes > MAX_CLIENT_NAME_BYTES) {
      throw new ApiException(RequestErrors.clientNameTooLong(bytes, MAX_CLIENT_NAME_BYTES));
    }
  }

  /** Returns the default for 0, else a value between 4 KiB and 64 MiB. */
  static int responseBytes(int asked) {
    if (asked == 0) {
      return DEFAULT_RESPONSE_BYTES;
    }
    // A uint32 arrives as int: a negative value is above 2 GiB.
    return asked < 0
        ? MAX_RESPONSE_BYTES
        : Math.clamp(asked, MIN_RESPONSE_BYTES, MAX_RESPONSE_BYTES);
  }

  static java.time.Duration clamp(
      String field, Duration asked, java.time.Duration min, java.time.Duration max)
      throws ApiException {
    int nanos = asked.getNanos();
    boolean signsDiffer =
        (asked.getSeconds() > 0 && nanos < 0) || (asked.getSeconds() < 0 && nanos > 0);
    if (nanos <= -1_000_000_000 || nanos >= 1_000_000_000 || signsDiffer) {
      throw new ApiException(RequestErrors.notADuration(field));
    }
    if (asked.getSeconds() > max.toSeconds()) { // before the sum, which might overflow
      return max;
    }
    if (asked.getSeconds() < 0) {
      return min;
    }
    java.time.Duration duration = java.time.Duration.ofSeconds(asked.getSeconds(), nanos);
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
