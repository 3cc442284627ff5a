package io.watchgate.grpc;

import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.watchgate.admission.PendingResponseBytes;
import io.watchgate.auth.Credentials;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.StreamErrors;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executor of unary calls, each on a thread of its own, which may block. */
final class UnaryCallHandler {
  private static final Logger log = LoggerFactory.getLogger(UnaryCallHandler.class);

  private final Executor threads;
  private final PendingResponseBytes pendingResponses;

  /**
   * @param threads one per call, because the connection's event loop must not wait for the
   *     apiserver
   * @param pendingResponses limit on the bytes of responses
   */
  UnaryCallHandler(Executor threads, PendingResponseBytes pendingResponses) {
    this.pendingResponses = pendingResponses;
    this.threads = threads;
  }

  /** Function that answers a request, or throws the error to answer. */
  interface Answer<Q, A> {
    /**
     * Answers one request.
     *
     * @param share has to be asked for room before a large response is built, and is charged with
     *     the size of the response
     */
    A to(Q request, CallOrigin origin, PendingResponseBytes.Share share)
        throws ApiException, InterruptedException;
  }

  <Q, A> ServerCallHandler<RequestParseResult<Q>, A> handler(Answer<Q, A> answer) {
    return (call, headers) -> {
      CallOrigin origin = CallOrigin.of(call, headers);
      PendingResponseBytes.Share share = pendingResponses.share(origin.address());
      ServerCallHandler<RequestParseResult<Q>, A> handler =
          ServerCalls.asyncUnaryCall(
              (request, observer) -> {
                // Without a handler, a response to a client that is gone would throw.
                ((ServerCallStreamObserver<A>) observer).setOnCancelHandler(() -> {});
                switch (request) {
                  case RequestParseResult.Message<Q>(Q message) -> {
                    try {
                      threads.execute(() -> answer(answer, message, origin, call, observer, share));
                    } catch (RejectedExecutionException e) { // the gateway has ended
                      observer.onError(GrpcErrors.exception(StreamErrors.draining()));
                    }
                  }
                  case RequestParseResult.Unreadable<Q>(ApiError refusal) ->
                      observer.onError(GrpcErrors.exception(refusal));
                }
              });
      return new CallEndListener<>(handler.startCall(call, headers), share::release);
    };
  }

  private static <Q, A> void answer(
      Answer<Q, A> answer,
      Q request,
      CallOrigin origin,
      ServerCall<?, ?> call,
      StreamObserver<A> observer,
      PendingResponseBytes.Share share) {
    A response;
    try {
      response = answer.to(request, origin, share);
    } catch (ApiException e) {
      if (origin.credentials() instanceof Credentials.Certificate) {
        ClientConnection.replaceIfRefused(call, e.error().reason());
      }
      observer.onError(GrpcErrors.exception(e.error()));
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      observer.onError(GrpcErrors.internal());
      return;
    } catch (RuntimeException e) {
      log.error("a call failed", e);
      observer.onError(GrpcErrors.internal());
      return;
    } finally {
      share.endReservation();
    }
    observer.onNext(response);
    observer.onCompleted();
  }
}
