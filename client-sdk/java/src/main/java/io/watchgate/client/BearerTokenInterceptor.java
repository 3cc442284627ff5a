package io.watchgate.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Client interceptor that sends a bearer token with each call. If the supplier fails, the call
 * fails with UNAVAILABLE, as if no server had answered.
 */
final class BearerTokenInterceptor implements ClientInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Supplier<String> token;

  BearerTokenInterceptor(Supplier<String> token) {
    this.token = token;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new ClientInterceptors.CheckedForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      protected void checkedStart(ClientCall.Listener<A> listener, Metadata headers)
          throws StatusException {
        String bearer;
        try {
          bearer = Objects.requireNonNull(token.get(), "the supplier gave null");
        } catch (RuntimeException | Error e) { // an Error would leave the call without an end
          throw Status.UNAVAILABLE
              .withDescription("there is no token to present: " + e.getMessage())
              .withCause(e)
              .asException();
        }
        headers.put(AUTHORIZATION, "Bearer " + bearer);
        delegate().start(listener, headers);
      }
    };
  }
}
