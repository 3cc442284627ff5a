package io.watchgate.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Interceptor that takes a slot of the {@link GatewayStreamLimiter} for each call. It can refuse a
 * call before its request is complete, without its handler. It covers unary calls, and calls of
 * health and reflection, which any client may leave open. ListAndWatch takes its slot itself, so
 * that a stream does not keep two more objects alive.
 */
final class CallLimitInterceptor implements ServerInterceptor {
  private final GatewayStreamLimiter limiter;
  private final Supplier<InboundBytesLimit.Request> currentRequest;
  private final Consumer<ErrorReason> onRefused;

  /**
   * @param currentRequest the request of the call that begins on the calling thread
   * @param onRefused receives the reason of each refusal
   */
  CallLimitInterceptor(
      GatewayStreamLimiter limiter,
      Supplier<InboundBytesLimit.Request> currentRequest,
      Consumer<ErrorReason> onRefused) {
    this.limiter = limiter;
    this.currentRequest = currentRequest;
    this.onRefused = onRefused;
  }

  <Q, A> ServerCallHandler<Q, A> wrap(ServerCallHandler<Q, A> handler) {
    return (call, headers) -> interceptCall(call, headers, handler);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    CallMetadata metadata;
    GatewayStreamLimiter.Slot slot;
    try {
      metadata = CallMetadata.of(headers).check();
      slot = limiter.acquire(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    } catch (ApiException e) {
      onRefused.accept(e.error().reason());
      GrpcErrors.close(call, e.error());
      return new ServerCall.Listener<>() {};
    }
    LimitedCall<Q, A> limited = new LimitedCall<>(call, slot, currentRequest.get());
    limited.request.grow(metadata.authorization());
    limited.request.onRefused(limited::refuse);
    ServerCall.Listener<Q> listener = CallEndListener.start(next, limited, headers, limited::end);
    return new CallEndListener<>(listener, limited::end) {
      @Override
      public void onMessage(Q message) {
        if (!limited.refused) {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        limited.request.complete();
        if (!limited.refused) {
          super.onHalfClose();
        }
      }
    };
  }

  /**
   * Call that is closed at most once, because gRPC accepts no second close. Its slot and its
   * request are used on the call's event loop.
   */
  private final class LimitedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final GatewayStreamLimiter.Slot slot;
    private final InboundBytesLimit.Request request;
    private boolean closed;

    /** Set only if the call was not answered before. */
    private boolean refused;

    LimitedCall(
        ServerCall<Q, A> call, GatewayStreamLimiter.Slot slot, InboundBytesLimit.Request request) {
      super(call);
      this.slot = slot;
      this.request = request;
    }

    void refuse(ApiError refusal) {
      onRefused.accept(refusal.reason());
      if (!closed) {
        refused = true;
        GrpcErrors.close(delegate(), refusal);
      }
    }

    /** Releases the slot and the request; a second call does nothing. */
    void end() {
      slot.release();
      request.complete();
    }

    @Override
    public void close(Status status, Metadata trailers) {
      closed = true;
      if (!refused) {
        super.close(status, trailers);
      }
    }
  }
}
