package io.watchgate.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Interceptor that can refuse a call before its request is complete, without involvement of the
 * call's handler. ListAndWatch does this itself: a stream should not keep two more objects alive
 * for it.
 */
final class EarlyRejectInterceptor implements ServerInterceptor {
  private final Supplier<InboundBytesLimit.Request> currentRequest;
  private final Consumer<ErrorReason> onRefused;

  /**
   * @param incoming the request of the call that begins on the calling thread
   * @param refused receives the reason of each refusal
   */
  EarlyRejectInterceptor(
      Supplier<InboundBytesLimit.Request> incoming, Consumer<ErrorReason> refused) {
    this.currentRequest = incoming;
    this.onRefused = refused;
  }

  <Q, A> ServerCallHandler<Q, A> wrap(ServerCallHandler<Q, A> handler) {
    return (call, headers) -> interceptCall(call, headers, handler);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    InboundBytesLimit.Request request = currentRequest.get();
    request.grow(CallMetadata.of(headers).authorization());
    Refusable<Q, A> refusable = new Refusable<>(call);
    request.onRefused(
        refusal -> {
          onRefused.accept(refusal.reason());
          refusable.refuse(refusal);
        });
    ServerCall.Listener<Q> listener;
    try {
      listener = next.startCall(refusable, headers);
    } catch (RuntimeException e) {
      request.complete(); // gRPC ends the call without calling a listener
      throw e;
    }
    return new OnCallEnd<>(listener, request::complete) {
      @Override
      public void onMessage(Q message) {
        if (!refusable.refused) {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        request.complete();
        if (!refusable.refused) {
          super.onHalfClose();
        }
      }
    };
  }

  /** Call that is closed at most once, because gRPC accepts no second close. */
  private static final class Refusable<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private boolean closed;

    /** Set on the call's event loop, and only if the call was not answered before. */
    private boolean refused;

    Refusable(ServerCall<Q, A> call) {
      super(call);
    }

    void refuse(ApiError refusal) {
      if (!closed) {
        refused = true;
        GrpcErrors.close(delegate(), refusal);
      }
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
