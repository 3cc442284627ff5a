package io.watchgate.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.watchgate.auth.Credentials;

/**
 * Origin of a call according to its headers and its connection.
 *
 * @param address without the port
 * @param port 0 if there is none
 */
record CallOrigin(Credentials credentials, Object address, int port) {
  static CallOrigin of(ServerCall<?, ?> call, Metadata headers) {
    return new CallOrigin(
        CallCredentials.of(call, headers),
        CallCredentials.address(call.getAttributes()),
        CallCredentials.port(call.getAttributes()));
  }
}
