package io.watchgate.grpc;

import io.grpc.ServerCallHandler;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.RefusedException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers calls that have one answer, each on a thread of its own, which may block. */
final class UnaryCalls {
  private static final Logger log = LoggerFactory.getLogger(UnaryCalls.class);

  private final Executor threads;

  /**
   * @param threads one a call; its connection's loop must not wait for the apiserver
   */
  UnaryCalls(Executor threads) {
    this.threads = threads;
  }

  /** Answers a request, or throws what is answered instead. */
  interface Answer<Q, A> {
    A to(Q request) throws RefusedException, InterruptedException;
  }

  <Q, A> ServerCallHandler<Received<Q>, A> handler(Answer<Q, A> answer) {
    return ServerCalls.asyncUnaryCall(
        (request, observer) -> {
          // Without a handler, an answer to who is gone would throw.
          ((ServerCallStreamObserver<A>) observer).setOnCancelHandler(() -> {});
          switch (request) {
            case Received.Message<Q>(Q message) ->
                threads.execute(() -> answer(answer, message, observer));
            case Received.Unreadable<Q>(Refusal refusal) ->
                observer.onError(ErrorModel.exception(refusal));
          }
        });
  }

  private static <Q, A> void answer(Answer<Q, A> answer, Q request, StreamObserver<A> observer) {
    A response;
    try {
      response = answer.to(request);
    } catch (RefusedException e) {
      observer.onError(ErrorModel.exception(e.refusal()));
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      observer.onError(ErrorModel.internal());
      return;
    } catch (RuntimeException e) {
      log.error("a call failed", e);
      observer.onError(ErrorModel.internal());
      return;
    }
    observer.onNext(response);
    observer.onCompleted();
  }
}
