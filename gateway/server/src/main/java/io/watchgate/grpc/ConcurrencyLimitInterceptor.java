package io.watchgate.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Interceptor that takes a slot of the {@link StreamLimiter} for each call, as streams have one. It
 * covers unary calls, and the calls of health and reflection, which any client may open and leave
 * open.
 */
final class ConcurrencyLimitInterceptor implements ServerInterceptor {
  private final StreamLimiter limiter;
  private final Consumer<ErrorReason> onRefused;

  /**
   * @param refused receives the reason for each call without a free slot
   */
  ConcurrencyLimitInterceptor(StreamLimiter places, Consumer<ErrorReason> refused) {
    this.limiter = places;
    this.onRefused = refused;
  }

  <Q, A> ServerCallHandler<Q, A> wrap(ServerCallHandler<Q, A> handler) {
    return (call, headers) -> interceptCall(call, headers, handler);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    StreamLimiter.Client client;
    try {
      CallMetadata.of(headers).check();
      client = limiter.acquire(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    } catch (ApiException e) {
      onRefused.accept(e.error().reason());
      GrpcErrors.close(call, e.error());
      return new ServerCall.Listener<>() {};
    }
    AtomicBoolean given = new AtomicBoolean();
    Runnable giveBack =
        () -> {
          if (given.compareAndSet(false, true)) {
            limiter.release(client);
          }
        };
    boolean started = false;
    try {
      ServerCall.Listener<Q> listener = new OnCallEnd<>(next.startCall(call, headers), giveBack);
      started = true;
      return listener;
    } finally {
      if (!started) {
        giveBack.run();
      }
    }
  }
}
