package io.watchgate.grpc;

import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Size of a call's metadata, limited by {@link RequestLimits}.
 *
 * @param authorization bytes of the values of {@code authorization}
 * @param others bytes of all other names and values
 */
record CallMetadata(int authorization, int others) {
  private static final byte[] AUTHORIZATION = "authorization".getBytes(StandardCharsets.US_ASCII);

  /** Counts in one pass, because a client may send thousands of names. */
  static CallMetadata of(Metadata headers) {
    byte[][] all = InternalMetadata.serialize(headers);
    int authorization = 0;
    int others = 0;
    for (int i = 0; i < all.length; i += 2) {
      if (Arrays.equals(all[i], AUTHORIZATION)) {
        authorization += all[i + 1].length;
      } else {
        others += all[i].length + all[i + 1].length;
      }
    }
    return new CallMetadata(authorization, others);
  }

  /**
   * Checks the size of everything but {@code authorization}. A token that is too long is refused by
   * {@link CallOrigin}, which parses it.
   *
   * @throws ApiException TOO_COMPLEX
   */
  CallMetadata check() throws ApiException {
    if (others > RequestLimits.MAX_METADATA_BYTES) {
      throw new ApiException(
          RequestErrors.metadataTooLarge(others, RequestLimits.MAX_METADATA_BYTES));
    }
    return this;
  }
}
