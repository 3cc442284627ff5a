package io.watchgate.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.watchgate.auth.Credentials;

/**
 * Where a call comes from, as its headers and its connection say.
 *
 * @param address without the port
 */
record CallOrigin(Credentials credentials, Object address) {
  static CallOrigin of(ServerCall<?, ?> call, Metadata headers) {
    return new CallOrigin(
        CallCredentials.of(call, headers), CallCredentials.address(call.getAttributes()));
  }
}
