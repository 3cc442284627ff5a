package io.watchgate.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.watchgate.error.ApiError;
import io.watchgate.error.LimitErrors;
import io.watchgate.error.RequestErrors;
import java.util.concurrent.Semaphore;

/**
 * Limit of the calls to a service that needs no credentials: health and reflection. Such a service
 * keeps a request as long as its call lasts, and answers wait in the transport for clients that do
 * not read, so the size of a request and the number of calls are bounded. Thread-safe.
 */
final class UnauthenticatedServiceLimit implements ServerInterceptor {
  private final int maxCalls;
  private final Semaphore calls;

  UnauthenticatedServiceLimit(int maxCalls) {
    this.maxCalls = maxCalls;
    this.calls = new Semaphore(maxCalls);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (!calls.tryAcquire()) {
      GrpcErrors.close(call, LimitErrors.openServiceCalls(maxCalls));
      return new ServerCall.Listener<>() {};
    }
    ServerCall.Listener<Q> listener = CallEndListener.start(next, call, headers, calls::release);
    return new CallEndListener<>(listener, calls::release) {
      private boolean refused;

      @Override
      public void onMessage(Q message) {
        if (!refused && isTooLarge(message)) {
          refused = true;
          ApiError refusal = RequestErrors.tooLarge(RequestLimits.MAX_OPEN_REQUEST_BYTES);
          GrpcErrors.close(call, refusal);
        }
        if (!refused) {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }

  private static boolean isTooLarge(Object request) {
    return request instanceof MessageLite message
        && message.getSerializedSize() > RequestLimits.MAX_OPEN_REQUEST_BYTES;
  }
}
