package io.watchgate.client;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.ListObjectsResponse;
import io.watchgate.proto.v1.WatchServiceGrpc.WatchServiceBlockingStub;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Executor of unary calls. A call goes to the replica of the previous call, because pages of a list
 * are only valid at the replica that served the first page. If that replica is unavailable, another
 * replica is asked once. An answer of a server that is not a gateway is independent of the request:
 * the call is repeated, at most {@value #ATTEMPTS} times in total. Thread-safe.
 */
final class UnaryCalls {
  static final int ATTEMPTS = 5;

  /** Maximum number of times that a list of several pages begins. */
  private static final int LIST_ATTEMPTS = 3;

  /**
   * Bound of the first wait. It is below that of streams, because a caller waits for the answer.
   */
  private static final Duration FIRST_WAIT = Duration.ofMillis(250);

  /** Longest extra wait if the timers have ended with the client. */
  private static final long GRACE_MILLIS = 1_000;

  private final ReplicaSelector replicas;
  private final Scheduler timers;
  private final RandomGenerator random;

  /** Replica of the last call. */
  private volatile @Nullable Replica lastReplica;

  UnaryCalls(ReplicaSelector replicas, Scheduler timers, RandomGenerator random) {
    this.replicas = replicas;
    this.timers = timers;
    this.random = random;
  }

  /**
   * Returns the response.
   *
   * @param timeout timeout of all attempts together
   * @throws StatusRuntimeException if no attempt succeeded
   */
  <T> T call(Duration timeout, Function<WatchServiceBlockingStub, T> call) {
    long begin = timers.nanoTime();
    Backoff backoff = new Backoff(random, FIRST_WAIT);
    boolean isElsewhere = false;
    Replica at = chooseReplica(lastReplica, null);
    for (int attempt = 1; ; attempt++) {
      lastReplica = at;
      try {
        T answer = call.apply(at.connection().stub(remaining(timeout, begin)));
        replicas.recordAnswer(at);
        return answer;
      } catch (StatusRuntimeException e) {
        WatchError error = WatchError.of(e);
        boolean isUnavailable = error.code() == Status.Code.UNAVAILABLE;
        // A deadline of the caller, or an interrupt, is no failure of the replica.
        boolean isOfReplica = isUnavailable || error.origin() != WatchError.Origin.CLIENT;
        boolean hasOther =
            isOfReplica && replicas.recordInterruption(at, new Interruption.Failed(error));
        if (isUnavailable && hasOther && !isElsewhere) {
          isElsewhere = true;
          at = chooseReplica(null, at);
          continue;
        }
        Duration wait = backoff.next(Duration.ZERO);
        if (!isRepeated(e, error)) {
          throw e;
        }
        Duration left = remaining(timeout, begin);
        if (attempt >= ATTEMPTS || wait.compareTo(left) >= 0) {
          throw end(e, error, timeout.minus(left));
        }
        pause(wait);
        at = chooseReplica(null, at);
      }
    }
  }

  /**
   * Returns the first page, with the objects of all pages and the resume token of the last.
   *
   * @param timeout timeout of all pages together
   */
  ListObjectsResponse listAll(ListObjectsRequest request, Duration timeout) {
    long begin = timers.nanoTime();
    for (int attempt = 1; ; attempt++) {
      try {
        return pages(request, timeout, begin);
      } catch (StatusRuntimeException e) {
        if (WatchError.of(e).action() != ErrorAction.RESTART || attempt == LIST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private ListObjectsResponse pages(ListObjectsRequest request, Duration timeout, long begin) {
    ListObjectsRequest.Builder next = request.toBuilder().clearPageToken();
    ListObjectsResponse.Builder all = page(next.build(), timeout, begin).toBuilder();
    while (!all.getNextPageToken().isEmpty()) {
      ListObjectsResponse page =
          page(next.setPageToken(all.getNextPageToken()).build(), timeout, begin);
      all.addAllObjects(page.getObjectsList())
          .setNextPageToken(page.getNextPageToken())
          .setResumeToken(page.getResumeToken());
    }
    return all.build();
  }

  private ListObjectsResponse page(ListObjectsRequest request, Duration timeout, long begin) {
    return call(remaining(timeout, begin), stub -> stub.listObjects(request));
  }

  private Duration remaining(Duration timeout, long begin) {
    return timeout.minusNanos(timers.nanoTime() - begin);
  }

  /**
   * Returns whether to repeat the call. UNAVAILABLE with a cause is a connection that failed, which
   * would fail again; without one, the other side has closed the connection.
   */
  private static boolean isRepeated(StatusRuntimeException failure, WatchError error) {
    return switch (error.origin()) {
      case GATEWAY -> false;
      case OTHER_SERVER -> true;
      case CLIENT ->
          error.code() == Status.Code.UNAVAILABLE && failure.getStatus().getCause() == null;
    };
  }

  private StatusRuntimeException end(
      StatusRuntimeException last, WatchError error, Duration tried) {
    if (replicas.hasAnswered() || !error.mayBeWrongAddress()) {
      return last;
    }
    Metadata trailers = last.getTrailers();
    return error
        .code()
        .toStatus()
        .withDescription(error.noGateway(tried).message())
        .withCause(last.getStatus().getCause())
        .asRuntimeException(trailers == null ? new Metadata() : trailers);
  }

  private void pause(Duration wait) {
    CountDownLatch over = new CountDownLatch(1);
    Runnable cancel = timers.schedule(wait, over::countDown);
    try {
      if (!over.await(wait.toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
        cancel.run();
      }
    } catch (InterruptedException e) {
      cancel.run();
      Thread.currentThread().interrupt();
      throw Status.CANCELLED
          .withDescription("interrupted while the call waited for its next attempt")
          .withCause(e)
          .asRuntimeException();
    }
  }

  private Replica chooseReplica(@Nullable Replica last, @Nullable Replica left) {
    try {
      return last != null && replicas.isPreferred(last) ? last : replicas.choose(left);
    } catch (UnknownHostException e) {
      throw Status.UNAVAILABLE
          .withDescription(WatchError.unknownHost(e).message())
          .withCause(e)
          .asRuntimeException();
    } catch (IllegalStateException e) {
      throw Status.UNAVAILABLE.withDescription(e.getMessage()).asRuntimeException();
    }
  }
}
